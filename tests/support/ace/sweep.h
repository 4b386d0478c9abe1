// SPDX-License-Identifier: Apache-2.0
// Runs many workloads: a whole space, or a seeded sample of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/ace/run.h"
#include "support/ace/space.h"

namespace betr::ace {

struct SweepOptions {
  Constants constants = Constants::kProduction;
  std::string experiments;  // a list that ParseExperiments accepts
  Set set = Set::kAce;
  size_t length = 1;
  uint64_t sample = 0;  // how many workloads to draw; 0: all
  // Of all: only from this sequence of operations on, of so many.
  size_t first = 0;
  size_t sequences = SIZE_MAX;
  RunOptions run;
  unsigned jobs = 1;
  size_t max_failures = 1;  // after these it ends
};

struct SweepFailure {
  std::string workload;
  std::string what;
};

struct SweepProgress {
  size_t sequences = 0;  // that are done, from `first` on; of a sample: workloads
  size_t of = 0;
  Tally tally;
  std::vector<SweepFailure> failures;
};

// Runs them. An error of making an image counts as a failure without a workload. Calls `on_progress` from time to time,
// from any thread but never from two at once.
SweepProgress RunSweep(const SweepOptions& options, const std::function<void(const SweepProgress&)>& on_progress);

// Returns the command that repeats a workload: "betr-ace --constants tiny --crashes all --seed 7 --run creat:foo+sync".
std::string ReplayCommand(const SweepOptions& options, const std::string& workload);

std::string_view NameOf(Crashes crashes);

}  // namespace betr::ace
