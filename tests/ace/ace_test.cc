// SPDX-License-Identifier: Apache-2.0
// The part of the bounded space of file-system workloads that every run of the suite looks at, and workloads that once
// found something.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "betr/experiments.h"
#include "support/ace/plan.h"
#include "support/ace/sweep.h"
#include "support/seed.h"

namespace betr::ace {
namespace {

Tally RunAll(const SweepOptions& options) {
  const SweepProgress result = RunSweep(options, [](const SweepProgress&) {});
  for (const SweepFailure& failure : result.failures) {
    FAIL(failure.workload << ": " << failure.what << "\nreplay: " << ReplayCommand(options, failure.workload));
  }
  REQUIRE(result.sequences == result.of);
  return result.tally;
}

// All workloads of one operation, crashed everywhere; of so many sequences only a part.
Tally RunSingle(Constants constants, Set set, size_t first = 0, size_t sequences = SIZE_MAX) {
  SweepOptions options;
  options.constants = constants;
  options.set = set;
  options.first = first;
  options.sequences = sequences;
  options.run.seed = TestSeed();
  return RunAll(options);
}

void RunDrawn(size_t length, uint64_t workloads) {
  for (const Constants constants : kAllConstants) {
    for (const Set set : {Set::kAce, Set::kBeyond}) {
      SweepOptions options;
      options.constants = constants;
      options.set = set;
      options.length = length;
      options.sample = std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(workloads) * TestScale()));
      options.run.crashes = Crashes::kSampled;
      options.run.seed = TestSeed();
      const Tally tally = RunAll(options);
      REQUIRE(tally.workloads == options.sample);
      REQUIRE(tally.states > tally.points);
    }
  }
}

absl::Status RunText(Constants constants, std::string_view text, Tally& tally, const RunOptions& options = {},
                     std::string_view experiments = "") {
  const absl::StatusOr<Ground> ground = Ground::Make(constants, *ParseExperiments(experiments));
  const absl::StatusOr<Workload> workload = ParseWorkload(text);
  REQUIRE(ground.ok());
  REQUIRE(workload.ok());
  return RunWorkload(*ground, *workload, options, tally);
}

constexpr size_t kHalf = 14;  // of the sequences of ACE: those that write most are in front

}  // namespace

TEST_CASE("the space of workloads has the size that ACE's has", "[ace]") {
  const Totals one = CountSpace(Set::kAce, 1);
  REQUIRE(CountOfAce() == 76);
  REQUIRE(one.documented == 328);
  REQUIRE(one.distinct == 316);
  REQUIRE(one.points == 316);
  const Totals two = CountSpace(Set::kAce, 2);
  REQUIRE(two.sequences == 5'776);
  REQUIRE(two.documented == 241'720);
  REQUIRE(two.distinct == 221'584);
  REQUIRE(two.points == 412'586);
}

TEST_CASE("the id of a workload is enough to repeat it", "[ace]") {
  for (const Set set : {Set::kAce, Set::kBeyond}) {
    for (const Sequence& sequence : Sequences(set, 1)) {
      ForEachWorkload(sequence, [](const Workload& workload) {
        const std::string id = FormatWorkload(workload);
        INFO(id);
        const absl::StatusOr<Workload> parsed = ParseWorkload(id);
        REQUIRE(parsed.ok());
        REQUIRE(parsed->size() == 1);
        REQUIRE(parsed->front().operation == workload.front().operation);
        REQUIRE(parsed->front().persistence == workload.front().persistence);
        return true;
      });
    }
  }
  REQUIRE_FALSE(ParseWorkload("creat:foo,fly:foo+sync").ok());
  REQUIRE_FALSE(ParseWorkload("creat:foo+later").ok());
  REQUIRE_FALSE(ParseWorkload("").ok());
}

TEST_CASE("what a workload needs is made before it", "[ace]") {
  std::string text;
  for (const Call& call : PlanCalls(*ParseWorkload("creat:foo,link:foo:A/bar+fsync:A"))) {
    text += FormatCall(call) + "; ";
  }
  REQUIRE(text == "create /foo; mkdir /A; link /foo /A/bar; sync /A; ");
}

TEST_CASE("the removal of a tree leaves a file its name elsewhere", "[ace][crash]") {
  for (const Constants constants : kAllConstants) {
    Tally tally;
    CHECK(RunText(constants, "link:foo:A/bar,rmtree:A+fsync:foo", tally) == absl::OkStatus());
    CHECK(tally.points == 1);
  }
}

TEST_CASE("what is deleted after a crash, and replayed, gives its space back", "[ace][crash]") {
  RunOptions options;
  options.crashes = Crashes::kPoints;
  for (const char* text : {"clone:B:A/C,exchange:foo:A+sync", "clone:B:A/C+fsync:B,exchange:A:B+fsync:A/C",
                           "clone:A/foo:B/foo+fsync:B/bar,exchange:A:B+fsync:A/foo"}) {
    Tally tally;
    INFO(text);
    const absl::Status status = RunText(Constants::kTiny, text, tally, options);
    INFO(status);
    CHECK(status.ok());
  }
}

TEST_CASE("a crash while a zone is copied leaves nothing that the checker minds", "[ace][crash][ablation]") {
  Tally tally;
  const absl::Status status =
      RunText(Constants::kTiny, "falloc:A/foo:overlap-start:extend+fsync:A/foo", tally, {}, "zones=1K");
  INFO(status);
  CHECK(status.ok());
  CHECK(tally.states > 1000);
}

TEST_CASE("one operation, crashed everywhere", "[ace][crash]") {
  const Tally tally = RunSingle(Constants::kProduction, Set::kAce);
  REQUIRE(tally.workloads == 316);
  REQUIRE(tally.points == 316);
}

TEST_CASE("one operation, crashed everywhere, in tiny nodes: first part", "[ace][crash]") {
  RunSingle(Constants::kTiny, Set::kAce, 0, kHalf);
}

TEST_CASE("one operation, crashed everywhere, in tiny nodes: last part", "[ace][crash]") {
  RunSingle(Constants::kTiny, Set::kAce, kHalf);
}

TEST_CASE("one operation beyond ACE's, crashed everywhere", "[ace][crash]") {
  RunSingle(Constants::kProduction, Set::kBeyond);
}

TEST_CASE("one operation beyond ACE's, crashed everywhere, in tiny nodes", "[ace][crash]") {
  RunSingle(Constants::kTiny, Set::kBeyond);
}

TEST_CASE("drawn workloads of two operations", "[ace][crash]") { RunDrawn(2, 400); }
TEST_CASE("drawn workloads of three operations", "[ace][crash]") { RunDrawn(3, 200); }

TEST_CASE("drawn workloads of two operations, as earlier versions of BetrFS did them", "[ace][crash][ablation]") {
  // Tiny constants make a copy of 32 KiB one of several batches, which replaces nothing in one step.
  const std::pair<Constants, const char*> kVersions[] = {
      {Constants::kProduction, "rename-by-copy,delete-by-key,early-binding,split-by-size"},
      {Constants::kProduction, "zones=16K,split-by-size"},
      {Constants::kTiny, "zones=1K"},
      {Constants::kTiny, "eager-gotos,split-by-size"},
      {Constants::kTiny, "copy-at-once,delete-by-key"},
  };
  for (const auto& [constants, experiments] : kVersions) {
    SweepOptions options;
    options.constants = constants;
    options.experiments = experiments;
    options.length = 2;
    options.sample = std::max<uint64_t>(1, static_cast<uint64_t>(100 * TestScale()));
    options.run.crashes = Crashes::kSampled;
    options.run.seed = TestSeed();
    REQUIRE(RunAll(options).workloads == options.sample);
  }
}

TEST_CASE("drawn workloads of two operations on devices that fail", "[ace][fault]") {
  for (const Constants constants : kAllConstants) {
    for (const Set set : {Set::kAce, Set::kBeyond}) {
      SweepOptions options;
      options.constants = constants;
      options.set = set;
      options.length = 2;
      options.sample = std::max<uint64_t>(1, static_cast<uint64_t>(10 * TestScale()));
      options.run.fault_every = constants == Constants::kTiny ? 11 : 2;
      options.run.seed = TestSeed();
      const Tally tally = RunAll(options);
      REQUIRE(tally.workloads == options.sample);
      REQUIRE(tally.faulted > 14 * options.sample);
    }
  }
}

TEST_CASE("in tiny nodes everything happens within a workload", "[ace]") {
  Tally tally;
  const absl::Status status = RunText(Constants::kTiny, "write:A/foo:append+sync,rename:A:B+sync", tally);
  INFO(status);
  REQUIRE(status.ok());
  REQUIRE(tally.coverage["splits"] > 0);
  REQUIRE(tally.coverage["flushes_by_height.1"] > 0);
  REQUIRE(tally.coverage["checkpoints"] > 0);
  REQUIRE(tally.coverage["bytes_eviction"] > 0);
  REQUIRE(tally.coverage["bytes_log"] > 2 * kBlockSize.value);  // the log ends two blocks before its end
}

TEST_CASE("a device that loses flushes is found out by workloads", "[ace][crash]") {
  for (const Constants constants : kAllConstants) {
    SweepOptions options;
    options.constants = constants;
    options.run.lying_device = true;
    REQUIRE_FALSE(RunSweep(options, [](const SweepProgress&) {}).failures.empty());
  }
}

TEST_CASE("a failure is replayed with the crashes that it was found with", "[ace]") {
  constexpr std::pair<Crashes, std::string_view> kNames[] = {{Crashes::kPoints, "--crashes points "},
                                                             {Crashes::kWrites, "--crashes writes "},
                                                             {Crashes::kSampled, "--crashes sampled "},
                                                             {Crashes::kAll, "--crashes all "}};
  for (const auto& [crashes, name] : kNames) {
    SweepOptions options;
    options.run.crashes = crashes;
    CHECK(ReplayCommand(options, "creat:foo+sync").find(name) != std::string::npos);
  }
}

}  // namespace betr::ace
