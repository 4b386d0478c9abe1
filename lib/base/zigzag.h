// SPDX-License-Identifier: Apache-2.0
// Signed numbers as unsigned ones, small if they are near zero: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... For varints.
#pragma once

#include <cstdint>

namespace betr {

constexpr uint64_t ZigZag(int64_t value) { return (static_cast<uint64_t>(value) << 1) ^ (value < 0 ? UINT64_MAX : 0); }

constexpr int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ ((value & 1) != 0 ? UINT64_MAX : 0));
}

}  // namespace betr
