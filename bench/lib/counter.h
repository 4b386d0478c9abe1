// SPDX-License-Identifier: Apache-2.0
// The counters that Engine::Add adds to: 8 bytes, little-endian; anything else counts as 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace betr::bench {

inline uint64_t DecodeCounter(std::string_view bytes) {
  uint64_t value = 0;
  if (bytes.size() == sizeof(value)) {
    for (size_t i = sizeof(value); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

inline std::string EncodeCounter(uint64_t value) {
  std::string bytes(sizeof(value), '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(value);
    value >>= 8;
  }
  return bytes;
}

inline std::string AddCounters(std::string_view a, std::string_view b) {
  return EncodeCounter(DecodeCounter(a) + DecodeCounter(b));
}

}  // namespace betr::bench
