// SPDX-License-Identifier: Apache-2.0
// What a trace says as a whole: what was met in it, and what it leads to.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "replay/interpret/interpreter.h"
#include "replay/interpret/manifest.h"
#include "replay/trace/call_stream.h"

namespace betr::replay {

struct TraceOutcome {
  StreamCounts stream{};
  InterpreterCounts interpreter{};
  Manifest expected{};                    // what the name space holds at the end: what the trace makes of the manifest
  std::set<std::string> unknown_modes{};  // see initial_state.h
  std::chrono::nanoseconds traced{0};     // how long the traced programs took
  uint64_t operations = 0;                // that it has led to; not written into a converted trace
};

// Encodes the counts, samples and the time, but not the two lists. docs/replay.md has the bytes.
std::string EncodeOutcome(const TraceOutcome& outcome);
// Decodes them. Errors: kDataLoss.
absl::StatusOr<TraceOutcome> DecodeOutcome(std::string_view bytes);

// Formats the same as lines of text: a name, a blank and a value.
std::vector<std::string> FormatOutcome(const TraceOutcome& outcome);
// Parses such a line. Returns nothing if an outcome has no such name; kInvalidArgument for a wrong value.
std::optional<absl::Status> ParseOutcomeLine(std::string_view name, std::string_view value, TraceOutcome* outcome);

}  // namespace betr::replay
