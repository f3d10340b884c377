// SPDX-License-Identifier: Apache-2.0
// How a kernel ends its answer: NLMSG_ERROR and NLMSG_DONE with extended ack attributes
// (linux/netlink.h, struct nlmsgerr). Pure; used by Socket and its tests.
#pragma once

#include <cstdint>

#include "lib/base/result.h"
#include "lib/netlink/attribute.h"

namespace rocelane::netlink {

// `flags` are those of the message's nlmsghdr. Error number 0 is success, a negative one the
// kernel's refusal with its own sentence in front of the errno's; a positive one, and a message cut
// short, break the protocol: kIo.
Result<void> parse_error_message(Bytes payload, std::uint16_t flags);
// The end of a dump: the same number without the request behind it; an empty payload is success.
Result<void> parse_done_message(Bytes payload, std::uint16_t flags);

}  // namespace rocelane::netlink
