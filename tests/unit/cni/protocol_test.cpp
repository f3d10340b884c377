// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/protocol.h"

#include <map>

#include "tests/support/result_matchers.h"

namespace rocelane::cni {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Variables = std::map<std::string, std::string, std::less<>>;

CallOutcome call(const Variables& variables) {
  return parse_call([&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

Variables add_with(const Variables& changes = {}) {
  Variables variables{{"CNI_COMMAND", "ADD"},
                      {"CNI_CONTAINERID", "c0ffee.a_b-c"},
                      {"CNI_NETNS", "/run/netns/x"},
                      {"CNI_IFNAME", "eth0"},
                      {"CNI_PATH", "/opt/cni/bin:/usr/lib/cni"}};
  for (const auto& [name, value] : changes) {
    variables[name] = value;
  }
  return variables;
}

std::string problem(const Variables& variables) {
  const auto outcome = call(variables);
  EXPECT_FALSE(outcome.call.has_value());
  if (!outcome.error) {
    ADD_FAILURE() << "it was accepted";
    return {};
  }
  EXPECT_EQ(outcome.error->code, ErrorCode::kInvalidEnvironment);
  return outcome.error->message;
}

TEST(Call, add_takes_everything_from_the_environment) {
  const auto outcome = call(add_with({{"CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAME=t;X=a=b;"}}));
  ASSERT_TRUE(outcome.call.has_value());
  EXPECT_FALSE(outcome.error.has_value());
  EXPECT_EQ(outcome.call->command, Command::kAdd);
  EXPECT_EQ(outcome.call->container_id, "c0ffee.a_b-c");
  EXPECT_EQ(outcome.call->netns, "/run/netns/x");
  EXPECT_EQ(outcome.call->if_name, "eth0");
  EXPECT_THAT(outcome.call->path, ElementsAre("/opt/cni/bin", "/usr/lib/cni"));
  const std::map<std::string, std::string> args{
      {"IgnoreUnknown", "1"}, {"K8S_POD_NAME", "t"}, {"X", "a=b"}};
  EXPECT_EQ(outcome.call->args, args);
}

TEST(Call, del_needs_no_netns) {
  EXPECT_TRUE(call(add_with({{"CNI_COMMAND", "DEL"}, {"CNI_NETNS", ""}})).call.has_value());
}

TEST(Call, check_needs_what_add_needs) {
  EXPECT_EQ(problem(add_with({{"CNI_COMMAND", "CHECK"}, {"CNI_NETNS", ""}})),
            "CNI_NETNS is missing");
}

TEST(Call, gc_needs_the_plugin_path_only) {
  EXPECT_TRUE(call({{"CNI_COMMAND", "GC"}, {"CNI_PATH", "/opt/cni/bin"}}).call.has_value());
  EXPECT_EQ(problem({{"CNI_COMMAND", "GC"}}), "CNI_PATH is missing");
}

TEST(Call, status_and_version_need_nothing_and_judge_nothing) {
  for (const auto* command : {"STATUS", "VERSION"}) {
    EXPECT_TRUE(call({{"CNI_COMMAND", command}}).call.has_value());
    EXPECT_TRUE(call({{"CNI_COMMAND", command}, {"CNI_ARGS", "junk"}, {"CNI_IFNAME", "a/b"}})
                    .call.has_value());
  }
}

TEST(Call, all_mistakes_come_in_one_answer) {
  const auto message = problem({{"CNI_COMMAND", "ADD"}, {"CNI_IFNAME", "a/b"}, {"CNI_ARGS", "x"}});
  EXPECT_THAT(message, HasSubstr("CNI_CONTAINERID is missing"));
  EXPECT_THAT(message, HasSubstr("CNI_NETNS is missing"));
  EXPECT_THAT(message, HasSubstr("CNI_IFNAME=\"a/b\""));
  EXPECT_THAT(message, HasSubstr("CNI_ARGS: \"x\" is not KEY=VALUE"));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

TEST(Call, unknown_command_is_named) {
  EXPECT_THAT(problem({{"CNI_COMMAND", "add"}}), HasSubstr("CNI_COMMAND=\"add\""));
  EXPECT_EQ(problem({}), "CNI_COMMAND is missing");
}

TEST(Call, bad_container_ids_are_refused) {
  for (const auto* id : {"-a", ".a", "a/b", "a b", "a:b", "../a", "ä"}) {
    EXPECT_THAT(problem(add_with({{"CNI_CONTAINERID", id}})), HasSubstr("CNI_CONTAINERID")) << id;
  }
}

TEST(Call, bad_interface_names_are_refused) {
  for (const auto* name : {".", "..", "a/b", "a:b", "a b", "a\tb", "sixteen-letters!"}) {
    EXPECT_THAT(problem(add_with({{"CNI_IFNAME", name}})), HasSubstr("CNI_IFNAME")) << name;
  }
  EXPECT_TRUE(call(add_with({{"CNI_IFNAME", "fifteen-letters"}})).call.has_value());
}

TEST(Call, bad_args_are_refused) {
  for (const auto* args : {"A", "A=1;B", "=1", "A=1;=2"}) {
    EXPECT_THAT(problem(add_with({{"CNI_ARGS", args}})), HasSubstr("CNI_ARGS")) << args;
  }
  for (const auto* args : {"", ";", "A=", "A=1;;B=2"}) {
    EXPECT_TRUE(call(add_with({{"CNI_ARGS", args}})).call.has_value()) << args;
  }
}

TEST(Versions, are_the_four_spoken_ones) {
  EXPECT_THAT(supported_versions(), ElementsAre("0.3.1", "0.4.0", "1.0.0", "1.1.0"));
  EXPECT_TRUE(is_supported("1.1.0"));
  EXPECT_FALSE(is_supported("0.2.0"));
  EXPECT_FALSE(is_supported("1.2.0"));
  EXPECT_FALSE(is_supported(""));
}

}  // namespace
}  // namespace rocelane::cni
