// SPDX-License-Identifier: Apache-2.0
// Keys and values derived from a number. So nothing has to be remembered to read back what was written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace betr::bench {

inline constexpr size_t kKeySize = 16;

// 16 hexadecimal digits, in the order of `number`.
std::string OrderedKey(uint64_t number);

// 16 hexadecimal digits, different for different numbers and spread evenly: consecutive numbers are far apart.
std::string ScatteredKey(uint64_t number);

// `size` bytes of which half can be compressed away. The view is valid until the next call on the same object.
class Values {
 public:
  explicit Values(size_t size) : value_(size, 'v') {}
  std::string_view At(uint64_t number);

 private:
  std::string value_;
};

}  // namespace betr::bench
