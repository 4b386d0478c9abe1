// SPDX-License-Identifier: Apache-2.0
// Many workloads: a whole space, or a seeded sample of it.
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
  uint64_t sample = 0;  // so many drawn workloads; 0: all
  // Of all: only from this sequence of operations on, of so many.
  size_t first = 0;
  size_t sequences = SIZE_MAX;
  RunOptions run;
  unsigned jobs = 1;
  size_t max_failures = 1;  // then it ends
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

// Errors of making an image count as a failure without a workload. `on_progress` is called from time to time, from any
// thread but never from two at once.
SweepProgress RunSweep(const SweepOptions& options, const std::function<void(const SweepProgress&)>& on_progress);

// "betr-ace --constants tiny --crashes all --seed 7 --run creat:foo+sync".
std::string ReplayCommand(const SweepOptions& options, const std::string& workload);

std::string_view NameOf(Crashes crashes);

}  // namespace betr::ace
