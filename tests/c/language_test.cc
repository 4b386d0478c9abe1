// SPDX-License-Identifier: Apache-2.0
// The headers are C: whole_header.c and whole_filesystem.c use all of them, and what they do comes out right.
#include <catch2/catch.hpp>

#include "betr/c.h"
#include "support/device/temp_dir.h"

extern "C" int UseWholeHeader(const char* path);
extern "C" int UseWholeFileSystem(const char* path);

namespace betr::test {

TEST_CASE("a program in C uses all of the header", "[c]") {
  const TempDir dir;
  const int line = UseWholeHeader(dir.File("image").c_str());
  INFO("tests/c/whole_header.c: " << betr_error_message());
  CHECK(line == 0);
}

TEST_CASE("a program in C uses all of the file system", "[c]") {
  const TempDir dir;
  const int line = UseWholeFileSystem(dir.File("image").c_str());
  INFO("tests/c/whole_filesystem.c: " << betr_error_message());
  CHECK(line == 0);
}

}  // namespace betr::test
