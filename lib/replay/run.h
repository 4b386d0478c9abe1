// SPDX-License-Identifier: Apache-2.0
// Whole passes over a trace: one to infer what was there before it, one to replay it.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "replay/call_stream.h"
#include "replay/interpreter.h"
#include "replay/manifest.h"
#include "replay/replayer.h"
#include "replay/target.h"

namespace betr::replay {

struct RunOptions {
  std::vector<std::string> traces;
  std::string root = "/";
  double speed = 0;               // times the rhythm of the trace; 0: as fast as possible
  std::string initial_directory;  // of processes that never say where they are; may be empty
};

// Called every now and then: lines so far, bytes of the trace read so far and in all (0: unknown).
using ProgressFunction = absl::FunctionRef<void(uint64_t lines, Bytes read, Bytes total)>;

absl::StatusOr<Manifest> InferManifest(const RunOptions& options, ProgressFunction progress);

struct RunResult {
  ReplayReport report{};
  StreamCounts stream{};
  InterpreterCounts interpreter{};
  Manifest expected{};                    // what the name space holds at the end: what the trace makes of the manifest
  std::set<std::string> unknown_modes{};  // see initial_state.h
  std::chrono::nanoseconds traced{0};     // how long the traced programs took
  std::chrono::nanoseconds elapsed{0};    // how long the replay took, the last sync included
  std::optional<DeviceCounts> device{};   // by the replay, the last sync included
};

// Makes the initial state on the target (if there is one), then replays. Errors: those of the trace's files, of the
// manifest, and of the target where they are none of a single operation.
absl::StatusOr<RunResult> RunTrace(const RunOptions& options, const Manifest& initial, Target* target, Clock* clock,
                                   ProgressFunction progress);

}  // namespace betr::replay
