// SPDX-License-Identifier: Apache-2.0
// Owns the reading of acks; who waits for them is Socket.
#include "lib/netlink/ack.h"

#include <linux/netlink.h>

#include <cstdlib>

namespace rocelane::netlink {

namespace {

// The kernel's sentence among the TLVs after the ack; empty when it says none. What cannot be read
// must not hide the errno.
std::string sentence_in(Bytes attributes) {
  std::string sentence;
  for_each_attribute(attributes, [&](const Attribute& attribute) -> Result<void> {
    if (attribute.type == NLMSGERR_ATTR_MSG) {
      return store(sentence, attribute.text());
    }
    return {};
  }).ignore_error();
  return sentence;
}

Result<void> outcome(std::int32_t number, const std::string& sentence) {
  if (number == 0) {
    return {};
  }
  // Below the range of errno values (include/linux/err.h, MAX_ERRNO) lies nothing either.
  constexpr std::int32_t kLastErrno = 4095;
  if (number > 0 || number < -kLastErrno) {
    return Error::make(Code::kIo, "netlink: the answer carries the error number " +
                                      std::to_string(number) + ", which the protocol has not");
  }
  Error error = Error::from_errno(-number, sentence);
  if (sentence.empty()) {
    error.message.erase(0, 2);  // the ": " before the errno's own text
  }
  return error;
}

}  // namespace

Result<void> parse_error_message(Bytes payload, std::uint16_t flags) {
  Bytes rest;
  auto header = take_header<nlmsgerr>(payload, "netlink ack", rest);
  if (!header.ok()) {
    return Error::make(Code::kIo, header.error().message);
  }
  if ((flags & NLM_F_CAPPED) == 0) {
    // The request's payload follows its header (netlink_ack(), net/netlink/af_netlink.c).
    const std::size_t length = header->msg.nlmsg_len;
    const std::size_t request = length > sizeof(nlmsghdr) ? length - sizeof(nlmsghdr) : 0;
    rest = rest.subspan(std::min<std::size_t>(NLMSG_ALIGN(request), rest.size()));
  }
  const bool has_attributes = (flags & NLM_F_ACK_TLVS) != 0;
  return outcome(header->error, has_attributes ? sentence_in(rest) : std::string());
}

Result<void> parse_done_message(Bytes payload, std::uint16_t flags) {
  if (payload.empty()) {
    return {};
  }
  Bytes rest;
  auto number = take_header<std::int32_t>(payload, "netlink end of dump", rest);
  if (!number.ok()) {
    return Error::make(Code::kIo, number.error().message);
  }
  const bool has_attributes = (flags & NLM_F_ACK_TLVS) != 0;
  return outcome(*number, has_attributes ? sentence_in(rest) : std::string());
}

}  // namespace rocelane::netlink
