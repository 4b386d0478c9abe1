// SPDX-License-Identifier: Apache-2.0
// The header is C: whole_header.c uses all of it, and what it does comes out right.
#include <catch2/catch.hpp>

#include "betr/c.h"
#include "support/device/temp_dir.h"

extern "C" int UseWholeHeader(const char* path);

namespace betr::test {

TEST_CASE("a program in C uses all of the header", "[c]") {
  const TempDir dir;
  const int line = UseWholeHeader(dir.File("image").c_str());
  INFO("tests/c/whole_header.c: " << betr_error_message());
  CHECK(line == 0);
}

}  // namespace betr::test
