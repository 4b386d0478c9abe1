// SPDX-License-Identifier: Apache-2.0
// Hidden: what skip_test.sh runs.
#include "support/skip.h"

#include <catch2/catch.hpp>

namespace betr {
namespace {

TEST_CASE("skip: a case that is skipped", "[.]") {
  BETR_SKIP("here");
  FAIL();
}

TEST_CASE("skip: a case that says so and fails", "[.]") {
  CHECK(false);
  BETR_SKIP("here");
}

TEST_CASE("skip: a case with as many failures as the exit code of one that is skipped", "[.]") {
  for (int i = 0; i < 77; ++i) CHECK(i < 0);
}

TEST_CASE("skip: a case that passes", "[.]") { SUCCEED(); }

}  // namespace
}  // namespace betr
