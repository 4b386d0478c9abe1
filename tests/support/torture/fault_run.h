// SPDX-License-Identifier: Apache-2.0
// Runs a workload on a device that fails. The n-th read, write or flush fails, once or from then on, with an error or
// half done. Or a read outside superblocks and log fills only half of what it should and does not say so.
//
// The store must not hang, must not crash, and must not do half of anything. After a failed write or flush it is
// read-only and says why. What it acknowledged is there when the image is opened on a healthy device, whatever had
// reached storage.
//
// Without background threads a run depends only on its seed and the fault.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/fault_device.h"

namespace betr::test {

struct FaultRun {
  uint64_t seed = 1;  // of the workload
  Fault fault;
  bool background = false;
};

struct FaultTally {
  uint64_t runs = 0;
  uint64_t hits = 0;       // operations of devices that failed
  uint64_t errors = 0;     // operations of stores that failed
  uint64_t read_only = 0;  // stores that became read-only
  uint64_t not_opened = 0;
  uint64_t images = 0;  // opened on a healthy device afterwards

  void Add(const FaultTally& other);
};

// Runs it. Returns false if the fault did not fire, because there are fewer operations than that. Errors: what was
// found (verify.h).
absl::StatusOr<bool> RunFault(const FaultRun& run, FaultTally& tally);

// Returns the kinds of faults that devices have: on what, how often, how.
std::vector<Fault> AllFaults();

struct FaultSweep {
  uint64_t seed = 1;       // of the first workload
  uint64_t workloads = 1;  // one after another
  uint64_t every = 1;      // of the n-th operations, only every so many-th
  bool background = false;
  unsigned jobs = 1;
};

struct FaultFailure {
  FaultRun run;
  std::string what;
};

// Runs every fault at every n, for each workload. Ends with the first failure. `on_progress` is as in RunTorture.
std::optional<FaultFailure> SweepFaults(const FaultSweep& sweep, FaultTally& tally,
                                        const std::function<void(const FaultTally&)>& on_progress);

// Formats a fault as "write,17,once,eio", and back.
std::string FormatFault(const Fault& fault);
std::optional<Fault> ParseFault(std::string_view text);

// Returns the command that repeats the run: "betr-torture --seed 7 --fault write,17,once,eio".
std::string ReplayCommand(const FaultRun& run);

}  // namespace betr::test
