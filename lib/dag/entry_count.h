// SPDX-License-Identifier: Apache-2.0
// An approximate number of entries, in 16 bits: rounded up by less than a thousandth.
#pragma once

#include <cstdint>

namespace betr::dag {

class EntryCount {
 public:
  // Nobody has counted them.
  constexpr EntryCount() = default;
  // None counts as one, and more than 2047 * 2^31 as so many.
  static constexpr EntryCount Of(uint64_t entries) {
    int exponent = 0;
    for (; entries > kMostMantissa; entries = entries / 2 + entries % 2) ++exponent;
    const auto mantissa = static_cast<uint16_t>(entries == 0 ? 1 : entries);
    return exponent > kMostExponent ? FromCode(UINT16_MAX)
                                    : FromCode(static_cast<uint16_t>(exponent << kMantissaBits | mantissa));
  }

  constexpr bool Known() const { return code_ != 0; }
  constexpr uint64_t Value() const { return static_cast<uint64_t>(code_ & kMostMantissa) << (code_ >> kMantissaBits); }

  // As it is stored: the lower 11 bits times two to the power of the upper 5.
  static constexpr EntryCount FromCode(uint16_t code) {
    EntryCount count;
    count.code_ = code;
    return count;
  }
  constexpr uint16_t Code() const { return code_; }

  friend constexpr bool operator==(const EntryCount&, const EntryCount&) = default;

 private:
  static constexpr int kMantissaBits = 11;
  static constexpr uint16_t kMostMantissa = (1 << kMantissaBits) - 1;
  static constexpr int kMostExponent = 31;

  uint16_t code_ = 0;
};

}  // namespace betr::dag
