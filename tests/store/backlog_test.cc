// SPDX-License-Identifier: Apache-2.0
#include "store/backlog.h"

#include <catch2/catch.hpp>

namespace betr::store {
namespace {

// How many steps a writer makes after a clone: as Store::Impl::KeepUp does, where each step leaves more to do.
int StepsAfterClone(Backlog& backlog) {
  backlog.Grow();
  int steps = 0;
  while (steps < Backlog::kSteps && backlog.IsLong()) {
    backlog.Done(true);
    ++steps;
  }
  return steps;
}

TEST_CASE("who clones faster than the threads work makes as many steps as come of it", "[store][clone]") {
  Backlog backlog;
  int steps = 0;
  for (int clones = 0; clones < 100; ++clones) {
    const int now = StepsAfterClone(backlog);
    CHECK(now <= Backlog::kSteps);
    steps += now;
  }
  CHECK(steps > 95 * Backlog::kSteps);
  CHECK_FALSE(backlog.IsLong());
}

TEST_CASE("who clones no faster than the threads work makes none", "[store][clone]") {
  Backlog backlog;
  for (int clones = 0; clones < 100; ++clones) {
    CHECK(StepsAfterClone(backlog) == 0);
    for (int steps = 0; steps < Backlog::kSteps; ++steps) {
      backlog.Done(true);
    }
  }
}

TEST_CASE("what is left ends with a step that finds nothing, and where nothing can be done", "[store][clone]") {
  Backlog backlog;
  const auto grow_long = [&] {
    while (!backlog.IsLong()) {
      backlog.Grow();
    }
  };
  grow_long();
  backlog.Done(false);
  CHECK_FALSE(backlog.IsLong());
  grow_long();
  backlog.Clear();
  CHECK_FALSE(backlog.IsLong());
  backlog.Done(true);  // of none
  CHECK(StepsAfterClone(backlog) == 0);
}

}  // namespace
}  // namespace betr::store
