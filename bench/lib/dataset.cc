// SPDX-License-Identifier: Apache-2.0
#include "lib/dataset.h"

#include <cstring>

#include "base/random.h"

namespace betr::bench {

std::string OrderedKey(uint64_t number) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string key(kKeySize, '0');
  for (size_t i = kKeySize; i-- > 0; number >>= 4) key[i] = kDigits[number & 15];
  return key;
}

std::string ScatteredKey(uint64_t number) {
  return OrderedKey(SplitMix64(&number));  // a permutation of the 64-bit numbers
}

std::string_view Values::At(uint64_t number) {
  Random random(number);
  const size_t end = value_.size() / 2;
  for (size_t i = 0; i + sizeof(uint64_t) <= end; i += sizeof(uint64_t)) {
    const uint64_t word = random.Next();
    std::memcpy(value_.data() + i, &word, sizeof(word));
  }
  return value_;
}

}  // namespace betr::bench
