// SPDX-License-Identifier: Apache-2.0
// Devices that fail at some operation: samples for the default suite, all of some workloads when there is time.
#include <algorithm>
#include <catch2/catch.hpp>

#include "support/seed.h"
#include "support/torture/fault_run.h"

namespace betr::test {
namespace {

void Sweep(FaultSweep sweep) {
  FaultTally tally;
  const auto failure = SweepFaults(sweep, tally, [](const FaultTally&) {});
  if (failure) FAIL(failure->what << "\nreplay: " << ReplayCommand(failure->run));
  REQUIRE(tally.hits > 0);
  REQUIRE(tally.errors > 0);
  REQUIRE(tally.read_only > 0);
  REQUIRE(tally.not_opened > 0);
}

// At no scale so few that one of the kinds of end is not met.
uint64_t Every(uint64_t usual) {
  return std::clamp<uint64_t>(static_cast<uint64_t>(static_cast<double>(usual) / TestScale()), 1, 2 * usual);
}

}  // namespace

TEST_CASE("a store on a failing device keeps what it acknowledged", "[torture][fault]") {
  Sweep({.seed = TestSeed(), .workloads = 6, .every = Every(29)});
}

TEST_CASE("the same with threads of the store's own", "[torture][fault]") {
  Sweep({.seed = TestSeed() + 100, .workloads = 3, .every = Every(29), .background = true});
}

TEST_CASE("every operation of some workloads fails once, and from then on", "[torture][fault][.long]") {
  Sweep({.seed = TestSeed() + 200, .workloads = 10});
}

// The superblock of a checkpoint whose last flush had failed was gone on with after a restart, and the space of the
// state before it, which a crash brought back, was used.
TEST_CASE("a state that was never flushed is not built upon", "[torture][fault]") {
  FaultTally tally;
  const Fault fault{.on = Fault::On::kFlush, .nth = 12, .repeat = Fault::Repeat::kFromThenOn};
  const auto fired = RunFault({.seed = 1, .fault = fault}, tally);
  INFO(fired.status());
  REQUIRE(fired.ok());
}

TEST_CASE("a fault has a name", "[torture][fault]") {
  for (Fault fault : AllFaults()) {
    fault.nth = 17;
    const auto parsed = ParseFault(FormatFault(fault));
    REQUIRE(parsed.has_value());
    CHECK(parsed->on == fault.on);
    CHECK(parsed->nth == fault.nth);
    CHECK(parsed->repeat == fault.repeat);
    CHECK(parsed->effect == fault.effect);
  }
  const auto named = [](Fault::On on, Fault::Effect effect) {
    return FormatFault({.on = on, .nth = 3, .repeat = Fault::Repeat::kOnce, .effect = effect});
  };
  CHECK(named(Fault::On::kWrite, Fault::Effect::kHalfDone) == "write,3,once,half");
  CHECK(named(Fault::On::kRead, Fault::Effect::kShort) == "read,3,once,short");
  for (const char* bad : {"", "write", "write,0,once,eio", "write,1,once,eio,", "write,1,twice,eio", "read,x,on,eio"}) {
    CHECK_FALSE(ParseFault(bad).has_value());
  }
}

}  // namespace betr::test
