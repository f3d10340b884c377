// SPDX-License-Identifier: Apache-2.0
// Owns the bytes of one request; sending them is Socket's.
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "lib/netlink/socket.h"

namespace rocelane::netlink {

namespace {

constexpr std::size_t kFirstBytes = 512;  // the requests of this project are below

std::size_t used(nl_msg* message) { return nlmsg_hdr(message)->nlmsg_len; }

}  // namespace

void Message::Free::operator()(nl_msg* message) const { nlmsg_free(message); }

Message::Message(std::uint16_t type, std::uint16_t flags) : inner_(nlmsg_alloc_size(kFirstBytes)) {
  ROCELANE_CHECK(inner_ != nullptr);
  nlmsghdr* header = nlmsg_hdr(inner_.get());
  header->nlmsg_type = type;
  header->nlmsg_flags = flags;
}

Message::Message(Message&&) noexcept = default;
Message& Message::operator=(Message&&) noexcept = default;
Message::~Message() = default;

bool Message::reserve(std::size_t bytes) {
  const std::size_t want = NLMSG_ALIGN(used(inner_.get())) + NLMSG_ALIGN(bytes);
  if (overflow_ || bytes > kMaxMessageBytes || want > kMaxMessageBytes) {
    overflow_ = true;
    return false;
  }
  if (want > nlmsg_get_max_size(inner_.get())) {
    const std::size_t room = std::min(std::bit_ceil(want), kMaxMessageBytes);
    ROCELANE_CHECK(nlmsg_expand(inner_.get(), room) == 0);
  }
  return true;
}

void Message::append(std::span<const std::uint8_t> bytes) {
  if (reserve(bytes.size())) {
    void* place = nlmsg_reserve(inner_.get(), bytes.size(), NLMSG_ALIGNTO);
    ROCELANE_CHECK(place != nullptr);
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(place));
  }
}

void Message::put(std::uint16_t attribute, std::span<const std::uint8_t> bytes) {
  if (reserve(NLA_HDRLEN + bytes.size())) {
    const int length = static_cast<int>(bytes.size());
    ROCELANE_CHECK(nla_put(inner_.get(), attribute, length, bytes.data()) == 0);
  }
}

void Message::put_u8(std::uint16_t attribute, std::uint8_t value) { put_struct(attribute, value); }
void Message::put_u16(std::uint16_t attribute, std::uint16_t value) {
  put_struct(attribute, value);
}
void Message::put_be16(std::uint16_t attribute, std::uint16_t host_value) {
  put_struct(attribute, std::array<std::uint8_t, 2>{static_cast<std::uint8_t>(host_value >> 8U),
                                                    static_cast<std::uint8_t>(host_value)});
}
void Message::put_u32(std::uint16_t attribute, std::uint32_t value) {
  put_struct(attribute, value);
}
void Message::put_u64(std::uint16_t attribute, std::uint64_t value) {
  put_struct(attribute, value);
}

void Message::put_string(std::uint16_t attribute, std::string_view text) {
  std::vector<std::uint8_t> terminated(text.begin(), text.end());
  terminated.push_back(0);
  put(attribute, terminated);
}

// By offset, since filling may move the buffer; nla_nest_end() would also drop an empty nest.
void Message::nest(std::uint16_t attribute, const std::function<void(Message&)>& fill,
                   bool flagged) {
  const std::size_t start = NLMSG_ALIGN(used(inner_.get()));
  put(static_cast<std::uint16_t>(attribute | (flagged ? NLA_F_NESTED : 0)), {});
  fill(*this);
  if (overflow_) {
    return;
  }
  auto* base = reinterpret_cast<std::uint8_t*>(nlmsg_hdr(inner_.get()));
  const auto length = static_cast<std::uint16_t>(used(inner_.get()) - start);
  std::memcpy(base + start + offsetof(nlattr, nla_len), &length, sizeof length);
}

std::vector<std::uint8_t> Message::bytes() const {
  const auto* base = reinterpret_cast<const std::uint8_t*>(nlmsg_hdr(inner_.get()));
  return {base, base + used(inner_.get())};
}

}  // namespace rocelane::netlink
