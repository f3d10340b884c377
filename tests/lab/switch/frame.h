// SPDX-License-Identifier: Apache-2.0
// What the switch reads in an Ethernet frame: addresses, VLAN tags, IP protocol, UDP ports. Pure;
// never reads behind the given bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "lib/base/mac_address.h"

namespace rocelane::lab {

// 16 KiB of payload behind an Ethernet header with two tags; no frame check sequence.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{16} * 1024 + 14 + std::size_t{2} * 4;
inline constexpr std::size_t kMaxTags = 2;

struct UdpPorts {
  std::uint16_t source = 0;
  std::uint16_t destination = 0;

  bool operator==(const UdpPorts&) const = default;
};

struct FrameHeaders {
  MacAddress destination;
  MacAddress source;
  std::array<std::uint16_t, kMaxTags> vlans{};  // VLAN IDs, outermost first
  std::size_t tags = 0;                         // how many of them are there
  std::uint16_t ethertype = 0;                  // behind the tags
  std::size_t payload_offset = 0;               // first byte behind that ethertype
  // The protocol above IP, behind IPv6 extension headers. Absent: no IP, or cut short.
  std::optional<std::uint8_t> ip_protocol;
  // Absent: no UDP, a later fragment, or cut short.
  std::optional<UdpPorts> udp;

  // The VLAN the frame travels in: its outermost tag, 0 for none (and for a priority tag).
  [[nodiscard]] std::uint16_t vlan() const { return vlans[0]; }

  bool operator==(const FrameHeaders&) const = default;
};

// Absent when the bytes end inside the Ethernet header or one of its tags. What is wrong further
// up only leaves the optional members empty: a switch passes on what it does not understand.
std::optional<FrameHeaders> parse_frame(std::span<const std::uint8_t> frame);

// Flips one bit of the payload behind the Ethernet header, chosen by `draw`. Without payload
// nothing changes.
void corrupt_payload(std::span<std::uint8_t> frame, const FrameHeaders& headers,
                     std::uint64_t draw);

}  // namespace rocelane::lab
