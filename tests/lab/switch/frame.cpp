// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/frame.h"

#include <linux/if_ether.h>
#include <netinet/in.h>

#include <algorithm>

namespace rocelane::lab {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kMacBytes = 6;
constexpr std::size_t kTagBytes = 4;
constexpr std::uint16_t kVlanIdMask = 0x0fff;  // IEEE 802.1Q 9.6: the rest is priority and DEI
constexpr std::size_t kIpv4MinBytes = 20;
constexpr std::uint16_t kIpv4OffsetMask = 0x1fff;  // RFC 791 3.1: the rest is flags
constexpr std::size_t kIpv6Bytes = 40;
constexpr std::uint16_t kIpv6OffsetMask = 0xfff8;  // RFC 8200 4.5: the rest is reserved and M
constexpr std::size_t kIpv6ExtensionUnit = 8;
constexpr int kMaxIpv6Extensions = 8;  // real chains have one or two
constexpr std::size_t kUdpPortsBytes = 4;
constexpr std::uint64_t kBitsPerByte = 8;

std::uint16_t be16(Bytes bytes, std::size_t offset) {
  return static_cast<std::uint16_t>(bytes[offset] << 8U | bytes[offset + 1]);
}

bool is_tag(std::uint16_t ethertype) {
  return ethertype == ETH_P_8021Q || ethertype == ETH_P_8021AD;
}

MacAddress mac_at(Bytes bytes, std::size_t offset) {
  MacAddress mac;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), kMacBytes, mac.bytes.begin());
  return mac;
}

void parse_transport(Bytes bytes, FrameHeaders& headers) {
  if (headers.ip_protocol == IPPROTO_UDP && bytes.size() >= kUdpPortsBytes) {
    headers.udp = UdpPorts{.source = be16(bytes, 0), .destination = be16(bytes, 2)};
  }
}

void parse_ipv4(Bytes bytes, FrameHeaders& headers) {
  if (bytes.size() < kIpv4MinBytes || bytes[0] >> 4U != 4) {
    return;
  }
  const std::size_t header = (bytes[0] & 0x0fU) * std::size_t{4};
  if (header < kIpv4MinBytes) {
    return;
  }
  headers.ip_protocol = bytes[9];
  if ((be16(bytes, 6) & kIpv4OffsetMask) == 0 && bytes.size() >= header) {
    parse_transport(bytes.subspan(header), headers);
  }
}

bool is_ipv6_extension(std::uint8_t next) {
  return next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING || next == IPPROTO_DSTOPTS ||
         next == IPPROTO_FRAGMENT;
}

void parse_ipv6(Bytes bytes, FrameHeaders& headers) {
  if (bytes.size() < kIpv6Bytes || bytes[0] >> 4U != 6) {
    return;
  }
  std::uint8_t next = bytes[6];
  bytes = bytes.subspan(kIpv6Bytes);
  bool first_fragment = true;
  for (int i = 0; is_ipv6_extension(next); ++i) {
    if (i == kMaxIpv6Extensions || bytes.size() < kIpv6ExtensionUnit) {
      return;
    }
    std::size_t length = kIpv6ExtensionUnit;  // a fragment header has no length field
    if (next == IPPROTO_FRAGMENT) {
      first_fragment = first_fragment && (be16(bytes, 2) & kIpv6OffsetMask) == 0;
    } else {
      length *= std::size_t{1} + bytes[1];
    }
    if (bytes.size() < length) {
      return;
    }
    next = bytes[0];
    bytes = bytes.subspan(length);
    if (!first_fragment) {
      break;  // what follows is the middle of a packet, not another header
    }
  }
  headers.ip_protocol = next;
  if (first_fragment) {
    parse_transport(bytes, headers);
  }
}

}  // namespace

std::optional<FrameHeaders> parse_frame(Bytes frame) {
  if (frame.size() < ETH_HLEN) {
    return std::nullopt;
  }
  FrameHeaders headers{.destination = mac_at(frame, 0), .source = mac_at(frame, kMacBytes)};
  headers.ethertype = be16(frame, 2 * kMacBytes);
  headers.payload_offset = ETH_HLEN;
  while (is_tag(headers.ethertype) && headers.tags < kMaxTags) {
    const std::size_t tag = headers.payload_offset;
    if (frame.size() < tag + kTagBytes) {
      return std::nullopt;
    }
    headers.vlans.at(headers.tags++) = be16(frame, tag) & kVlanIdMask;
    headers.ethertype = be16(frame, tag + 2);
    headers.payload_offset += kTagBytes;
  }
  const auto payload = frame.subspan(headers.payload_offset);
  if (headers.ethertype == ETH_P_IP) {
    parse_ipv4(payload, headers);
  } else if (headers.ethertype == ETH_P_IPV6) {
    parse_ipv6(payload, headers);
  }
  return headers;
}

void corrupt_payload(std::span<std::uint8_t> frame, const FrameHeaders& headers,
                     std::uint64_t draw) {
  if (frame.size() <= headers.payload_offset) {
    return;
  }
  const auto payload = frame.subspan(headers.payload_offset);
  const std::uint64_t bit = draw % (payload.size() * kBitsPerByte);
  payload[bit / kBitsPerByte] ^= static_cast<std::uint8_t>(1U << (bit % kBitsPerByte));
}

}  // namespace rocelane::lab
