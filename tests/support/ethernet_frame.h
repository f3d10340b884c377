// SPDX-License-Identifier: Apache-2.0
// Builders of Ethernet frames for tests, from the payload outwards:
//   ethernet({.destination = a, .source = b, .vlans = {100}}, ipv4_udp(4791, "..."))
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "lib/base/mac_address.h"

namespace rocelane::test {

using FrameBytes = std::vector<std::uint8_t>;

inline constexpr std::uint16_t kTagVlan = 0x8100;
inline constexpr std::uint16_t kEtherIpv4 = 0x0800;
inline constexpr std::uint16_t kEtherIpv6 = 0x86dd;
inline constexpr std::uint16_t kEtherExperimental = 0x88b5;  // IEEE 802 local experimental
inline constexpr std::uint8_t kProtocolUdp = 17;
inline constexpr MacAddress kBroadcast{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

// A locally administered unicast address with this last byte.
inline MacAddress station(std::uint8_t number) { return {{0x02, 0, 0, 0, 0, number}}; }

struct Payload {
  std::uint16_t ethertype = kEtherExperimental;
  FrameBytes bytes;
};

struct Link {
  MacAddress destination = kBroadcast;
  MacAddress source = station(1);
  std::vector<std::uint16_t> vlans;  // tag control fields, outermost first
};

inline void append16(FrameBytes& out, unsigned value) {
  out.push_back(static_cast<std::uint8_t>(value >> 8U));
  out.push_back(static_cast<std::uint8_t>(value));
}

inline void append(FrameBytes& out, const auto& bytes) {
  // Not insert(): GCC 12 warns of an overflow in its inlined copy that cannot happen.
  for (const auto byte : bytes) {
    out.push_back(static_cast<std::uint8_t>(byte));
  }
}

inline FrameBytes ethernet(const Link& link, const Payload& payload) {
  FrameBytes out;
  append(out, link.destination.bytes);
  append(out, link.source.bytes);
  for (const auto tag : link.vlans) {
    append16(out, kTagVlan);
    append16(out, tag);
  }
  append16(out, payload.ethertype);
  append(out, payload.bytes);
  return out;
}

inline Payload text(std::string_view content) {
  return {.bytes = {content.begin(), content.end()}};
}

inline FrameBytes udp(std::uint16_t destination_port, std::string_view content) {
  FrameBytes out;
  append16(out, 0xc000);  // source port
  append16(out, destination_port);
  append16(out, static_cast<unsigned>(content.size() + 8));
  append16(out, 0);  // no checksum
  append(out, content);
  return out;
}

// `options`: bytes behind the fixed header, a multiple of four; `offset`: of a fragment, in units
// of eight bytes.
inline Payload ipv4(std::uint8_t protocol, const FrameBytes& content,
                    const FrameBytes& options = {}, std::uint16_t offset = 0) {
  FrameBytes out{static_cast<std::uint8_t>(0x45 + options.size() / 4), 0};
  append16(out, static_cast<unsigned>(20 + options.size() + content.size()));
  append16(out, 1);
  append16(out, offset);
  append(out, std::initializer_list<std::uint8_t>{64, protocol, 0, 0});
  append(out, std::initializer_list<std::uint8_t>{10, 56, 0, 1, 10, 56, 0, 2});
  append(out, options);
  append(out, content);
  return {.ethertype = kEtherIpv4, .bytes = std::move(out)};
}

inline Payload ipv4_udp(std::uint16_t destination_port, std::string_view content) {
  return ipv4(kProtocolUdp, udp(destination_port, content));
}

// `content` starts with the header that `next` names.
inline Payload ipv6(std::uint8_t next, const FrameBytes& content) {
  FrameBytes out{0x60, 0, 0, 0};
  append16(out, static_cast<unsigned>(content.size()));
  append(out, std::initializer_list<std::uint8_t>{next, 64});
  out.resize(out.size() + 32, 0xfd);  // both addresses
  append(out, content);
  return {.ethertype = kEtherIpv6, .bytes = std::move(out)};
}

}  // namespace rocelane::test
