// SPDX-License-Identifier: Apache-2.0
// Whole passes over a trace, printed by strace or made by --convert. One pass infers what was there before the trace;
// another one replays or converts it.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <ostream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "replay/interpret/manifest.h"
#include "replay/interpret/trace_outcome.h"
#include "replay/replay_report.h"
#include "replay/target.h"
#include "replay/time_series.h"

namespace betr::replay {

struct RunOptions {
  std::vector<std::string> traces;  // a converted one is alone
  std::string root = "/";           // a converted trace has its own
  bool has_threads = false;         // operations are done by threads as in the trace; else one after the other
  double speed = 0;                 // times the rhythm of the trace; 0: as fast as possible
  std::string initial_directory;    // of processes that never say where they are; may be empty
  uint32_t initial_umask = 022;     // of processes that never set it
};

// Called now and then with the lines so far, and the bytes of the trace read so far and in all (0: unknown).
using ProgressFunction = absl::FunctionRef<void(uint64_t lines, Bytes read, Bytes total)>;

// Whether the trace is a converted one.
bool IsConverted(const RunOptions& options);
// Returns the directory that is replayed, as the trace names it. Errors: those of ConvertedTrace::Open.
absl::StatusOr<std::string> RootOf(const RunOptions& options);
// Returns what was there before the trace: inferred, or what a converted trace says.
absl::StatusOr<Manifest> InferManifest(const RunOptions& options, ProgressFunction progress);

struct RunResult : TraceOutcome {
  ReplayReport report{};
  std::chrono::nanoseconds elapsed{0};   // how long the replay took, the last sync included
  std::optional<DeviceCounts> device{};  // by the replay, the last sync included
  std::vector<TimeSample> series{};      // how it came about
  bool has_times = false;                // the trace says when its operations began
};

// Makes the initial state on the target, if there is one, then replays. Errors: those of the trace's files, of the
// manifest, and of the target if they do not belong to a single operation.
absl::StatusOr<RunResult> RunTrace(const RunOptions& options, const Manifest& initial, Target* target, Clock* clock,
                                   ProgressFunction progress);

// Writes the trace and its initial state as a converted trace. A trace in the compact form is written as text, any
// other in the compact form.
absl::StatusOr<TraceOutcome> ConvertTrace(const RunOptions& options, const Manifest& initial, std::ostream* out,
                                          ProgressFunction progress);

}  // namespace betr::replay
