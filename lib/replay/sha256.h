// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), by which listings of name spaces are compared. Not for secrets.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace betr::replay {

class Sha256 {
 public:
  void Add(std::string_view bytes);
  // Lower-case hex of all that was added. Once.
  std::string Hex();

 private:
  void Block(const char* block);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint64_t size_ = 0;
  std::string rest_;  // less than a block
};

}  // namespace betr::replay
