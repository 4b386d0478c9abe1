// SPDX-License-Identifier: Apache-2.0
#include "store/backlog.h"

#include <catch2/catch.hpp>

namespace betr::store {
namespace {

void GrowLong(Backlog& backlog) {
  for (int batches = 0; batches < 1'000; ++batches) backlog.Grow();
}

TEST_CASE("the background is far behind if something was left to do during many clones", "[store][clone]") {
  Backlog backlog;
  backlog.Grow();
  CHECK_FALSE(backlog.IsLong());
  GrowLong(backlog);
  CHECK(backlog.IsLong());
  backlog.Clear();
  CHECK_FALSE(backlog.IsLong());
}

TEST_CASE("the background is not far behind if nothing is left to do now and then", "[store][clone]") {
  Backlog backlog;
  for (int clones = 0; clones < 1'000; ++clones) {
    backlog.Grow();
    CHECK_FALSE(backlog.IsLong());
    if (clones % 2 == 1) backlog.Clear();
  }
}

}  // namespace
}  // namespace betr::store
