// SPDX-License-Identifier: Apache-2.0
#include "support/docs.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace betr::test {

std::string ReadDocument(std::string_view name) {
  std::ifstream in(std::filesystem::path(BETR_SOURCE_DIR) / "docs" / name);
  INFO(name);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace betr::test
