// SPDX-License-Identifier: Apache-2.0
// Sizes of uninitialized strings, and what stays of the bytes that were there.
#include "base/uninitialized.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace betr {
namespace {

TEST_CASE("uninitialized strings have the size that was asked for") {
  for (size_t size = 0; size <= 200; ++size) {
    CAPTURE(size);
    CHECK(UninitializedString(size).size() == size);
  }
}

TEST_CASE("resizing keeps the bytes that stay") {
  for (size_t before = 0; before <= 70; ++before) {
    for (size_t after = 0; after <= 150; ++after) {
      std::string bytes(before, 'x');
      ResizeUninitialized(&bytes, after);
      CAPTURE(before, after);
      REQUIRE(bytes.size() == after);
      const size_t kept = std::min(before, after);
      CHECK(bytes.substr(0, kept) == std::string(kept, 'x'));
    }
  }
}

}  // namespace
}  // namespace betr
