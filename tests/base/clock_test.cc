// SPDX-License-Identifier: Apache-2.0
// Clocks move as they promise.
#include "base/clock.h"

#include <catch2/catch.hpp>

namespace betr {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST_CASE("the machine's clock runs", "[base]") {
  Clock& clock = SystemClock();
  const nanoseconds before = clock.Monotonic();
  CHECK(clock.Monotonic() >= before);
  CHECK(clock.Now() > seconds{1577836800});  // 2020
}

TEST_CASE("a manual clock moves when told", "[base]") {
  ManualClock clock(seconds{100});
  CHECK(clock.Now() == seconds{100});
  CHECK(clock.Monotonic() == seconds{0});
  clock.Advance(seconds{5});
  CHECK(clock.Now() == seconds{105});
  CHECK(clock.Monotonic() == seconds{5});
  clock.SetNow(seconds{1});
  CHECK(clock.Now() == seconds{1});
  CHECK(clock.Monotonic() == seconds{5});
}

TEST_CASE("times are shown in UTC", "[base]") {
  CHECK(FormatTime(seconds{0}) == "1970-01-01T00:00:00Z");
  CHECK(FormatTime(nanoseconds{1790848800999999999}) == "2026-10-01T10:00:00Z");
  CHECK(FormatTime(nanoseconds{-1}) == "1969-12-31T23:59:59Z");
}

}  // namespace
}  // namespace betr
