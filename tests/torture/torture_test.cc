// SPDX-License-Identifier: Apache-2.0
// Samples of betr-torture for the default suite, and seeds that once found something.
#include "support/torture/torture.h"

#include <catch2/catch.hpp>

#include "support/seed.h"

namespace betr::test {
namespace {

constexpr uint64_t kStates = 13'000;  // of each test case: together more than 50,000

TortureTally Torture(uint64_t part, uint64_t states, TortureOptions options = {}) {
  options.seed = TestSeed() + part * 1'000'000;
  options.states = static_cast<uint64_t>(static_cast<double>(states) * TestScale());
  const TortureResult result = RunTorture(options, [](const TortureTally&) {});
  if (result.failure) FAIL(result.failure->what << "\nreplay: " << ReplayCommand(result.failure->seed, options));
  REQUIRE(result.tally.States() >= options.states);
  REQUIRE(result.tally.states[1] > 0);
  REQUIRE(result.tally.states[2] > 0);
  return result.tally;
}

// One of four, so that they can run side by side; each comes by all that a store does.
void TortureQuarter(uint64_t part) {
  const TortureTally tally = Torture(part, kStates);
  for (const char* name : {"log_wraps", "bytes_eviction", "nodes_reclaimed", "unshares", "relifts", "gotos_buffered",
                           "gotos_converted", "splits", "merges", "checkpoints", "log_syncs"}) {
    INFO(name);
    CHECK(tally.coverage.at(name) > 0);
  }
}

}  // namespace

TEST_CASE("crashes lose nothing that was synced: first quarter", "[torture][crash]") { TortureQuarter(0); }
TEST_CASE("crashes lose nothing that was synced: second quarter", "[torture][crash]") { TortureQuarter(1); }
TEST_CASE("crashes lose nothing that was synced: third quarter", "[torture][crash]") { TortureQuarter(2); }
TEST_CASE("crashes lose nothing that was synced: last quarter", "[torture][crash]") { TortureQuarter(3); }

TEST_CASE("crashes beside background threads lose nothing that was synced", "[torture][crash]") {
  TortureOptions options;
  options.background = true;
  Torture(4, kStates / 10, options);
}

TEST_CASE("crashes of stores with experiments lose nothing that was synced", "[torture][crash][ablation]") {
  TortureOptions options;
  options.experiments = "eager-gotos,split-by-size,early-binding";
  Torture(6, kStates / 5, options);
  options.experiments = "copy-at-once";
  Torture(7, kStates / 5, options);
}

TEST_CASE("crashes of full devices lose nothing that was synced", "[torture][crash][full]") {
  TortureOptions options;
  options.tight = true;
  Torture(5, 2 * kStates, options);
}

TEST_CASE("crashes of stores that discard their free space lose nothing that was synced", "[torture][crash][trim]") {
  TortureOptions options;
  options.trims = true;
  CHECK(Torture(8, kStates / 5, options).coverage.at("trimmed_kib") > 0);
  options.tight = true;
  Torture(9, kStates / 5, options);
}

TEST_CASE("crashes of stores whose image gets another name lose nothing that was synced", "[torture][crash][tune]") {
  TortureOptions options;
  options.tunes = true;
  const TortureTally tally = Torture(10, kStates / 5, options);
  CHECK(tally.coverage.at("uuids") > 0);
  CHECK(tally.coverage.at("labels") > 0);
}

// Replaying built nodes that took more space than the first time, for which free ranges were too small.
TEST_CASE("a full device can be written to after its recovery", "[torture][crash][full]") {
  TortureOptions options;
  options.tight = true;
  TortureTally tally;
  const absl::Status status = RunCase(83, options, tally);
  INFO(status);
  REQUIRE(status.ok());
}

// A sweep found work by nodes that were gone from a tiny cache when it was done, again and again.
TEST_CASE("making room ends on a full device with next to no cache", "[torture][crash][full]") {
  TortureTally tally;
  const absl::Status status = RunCase(702, {}, tally);
  INFO(status);
  REQUIRE(status.ok());
}

// A sweep that had been in the midst of the nodes, and was to look at its tree's root alone then, never came to its
// end.
TEST_CASE("making room ends when another tree sweeps for this one", "[torture][crash][full]") {
  TortureOptions options;
  options.tight = true;
  TortureTally tally;
  const absl::Status status = RunCase(820167, options, tally);
  INFO(status);
  REQUIRE(status.ok());
}

TEST_CASE("a device that loses flushes is found out", "[torture][crash]") {
  TortureOptions options;
  options.seed = TestSeed();
  options.states = 10'000;
  options.lying_device = true;
  REQUIRE(RunTorture(options, [](const TortureTally&) {}).failure.has_value());
}

}  // namespace betr::test
