// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/acl_mode.h"

#include <cstddef>

namespace betr::replay {
namespace {

constexpr uint32_t kVersion = 2;
constexpr size_t kHeaderSize = 4;
constexpr size_t kEntrySize = 8;
constexpr uint32_t kOwner = 0x01;
constexpr uint32_t kGroup = 0x04;
constexpr uint32_t kMask = 0x10;  // stands in the place of the group's bits, if there is one
constexpr uint32_t kOther = 0x20;

uint32_t LittleEndian(std::string_view bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  return value;
}

}  // namespace

std::optional<uint32_t> ModeOfAcl(std::string_view value, uint32_t permissions) {
  if (value.size() < kHeaderSize || (value.size() - kHeaderSize) % kEntrySize != 0) return std::nullopt;
  if (LittleEndian(value, 0, kHeaderSize) != kVersion) return std::nullopt;
  uint32_t owner = 0;
  uint32_t group = 0;
  uint32_t other = 0;
  bool has_mask = false;
  for (size_t at = kHeaderSize; at < value.size(); at += kEntrySize) {
    const uint32_t tag = LittleEndian(value, at, 2);
    const uint32_t bits = LittleEndian(value, at + 2, 2) & 7;
    if (tag == kOwner) owner = bits;
    if (tag == kOther) other = bits;
    if (tag == kMask || (tag == kGroup && !has_mask)) group = bits;
    has_mask = has_mask || tag == kMask;
  }
  return (permissions & ~uint32_t{0777}) | owner << 6 | group << 3 | other;
}

}  // namespace betr::replay
