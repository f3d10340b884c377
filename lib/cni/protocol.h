// SPDX-License-Identifier: Apache-2.0
// The Container Network Interface as a plugin sees it (CNI specification 0.3.1 to 1.1.0):
// environment, network configuration on stdin, result or error on stdout. Pure: nothing here does
// I/O, so the whole protocol is tested in-process. JSON stays inside: prevResult and ipam travel as
// text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/ip_address.h"
#include "lib/base/mac_address.h"
#include "lib/base/result.h"

namespace rocelane::cni {

// Spec section "Error"; 100 and up are this plugin's own.
enum class ErrorCode : std::uint32_t {
  kIncompatibleVersion = 1,
  kUnsupportedField = 2,
  kUnknownContainer = 3,
  kInvalidEnvironment = 4,
  kIo = 5,
  kDecode = 6,
  kInvalidConfig = 7,
  kInvalidNetns = 8,
  kTryAgainLater = 11,
  kNotAvailable = 50,
  kLimitedConnectivity = 51,
  kKernel = 100,  // a kernel request failed; the message names the step
  kDevice = 101,  // the device is missing, has no driver, or is not RDMA capable
  kIpam = 102,    // the delegate failed; its own error is in the message
};

struct CniError {
  ErrorCode code = ErrorCode::kKernel;
  std::string message;  // one sentence, with the step: "step move-netdev: …"
  std::string details;

  bool operator==(const CniError&) const = default;
};

enum class Command { kAdd, kDel, kCheck, kGc, kStatus, kVersion };

using Environment = std::function<std::optional<std::string>(std::string_view name)>;

struct Call {
  Command command = Command::kVersion;
  std::string container_id;
  std::string netns;  // DEL: may be empty
  std::string if_name;
  std::map<std::string, std::string>
      args;                       // CNI_ARGS: K8S_POD_NAME, K8S_POD_NAMESPACE, K8S_POD_UID, …
  std::vector<std::string> path;  // CNI_PATH, for delegates
};

// Every missing or malformed variable in one error, code 4.
struct CallOutcome {
  std::optional<Call> call;
  std::optional<CniError> error;
};
CallOutcome parse_call(const Environment& environment);

struct Ip {
  IpPrefix address;
  std::optional<IpAddress> gateway;
  std::optional<std::int64_t> interface;

  bool operator==(const Ip&) const = default;
};

struct ResultRoute {
  IpPrefix dst;
  std::optional<IpAddress> gateway;
  std::optional<std::uint32_t> mtu;
  std::optional<std::uint32_t> advmss;
  std::optional<std::uint32_t> priority;
  std::optional<std::uint32_t> table;
  std::optional<std::uint8_t> scope;

  bool operator==(const ResultRoute&) const = default;
};

struct Interface {
  std::string name;
  std::optional<MacAddress> mac;
  std::optional<std::uint32_t> mtu;
  std::string sandbox;
  std::string pci_id;

  bool operator==(const Interface&) const = default;
};

struct AddResult {
  std::vector<Interface> interfaces;
  std::vector<Ip> ips;
  std::vector<ResultRoute> routes;
  std::string dns;  // JSON text, empty: none

  bool operator==(const AddResult&) const = default;
};

// Versions this plugin speaks, oldest first.
const std::vector<std::string>& supported_versions();
bool is_supported(std::string_view version);

// In the shape of `version`: keys newer than it are left out (mtu, pciID, route table… are 1.1.0).
std::string encode_result(const AddResult& result, std::string_view version);
std::string encode_error(const CniError& error, std::string_view version);
std::string encode_versions(std::string_view version);  // answer to VERSION
// A delegate's ADD answer (0.3.1 and up).
Result<AddResult> parse_result(std::string_view text);
// A delegate's error object; nullopt when the text is not one.
std::optional<CniError> parse_error(std::string_view text);

}  // namespace rocelane::cni
