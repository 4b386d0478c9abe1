// SPDX-License-Identifier: Apache-2.0
#include "base/coding.h"

namespace betr {

void PutVarint64(std::string* out, uint64_t value) {
  char bytes[kMaxVarintSize];
  size_t size = 0;
  while (value >= 0x80) {
    bytes[size++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes[size++] = static_cast<char>(value);
  out->append(bytes, size);
}

void PutLengthPrefixed(std::string* out, std::string_view bytes) {
  PutVarint64(out, bytes.size());
  out->append(bytes);
}

}  // namespace betr
