// SPDX-License-Identifier: Apache-2.0
// What betrreplay prints: a table for people, JSON for programs.
#pragma once

#include <optional>
#include <string>

#include "replay/compare.h"
#include "replay/run.h"
#include "tool.h"

namespace betr::tools {

// The comparison of the final state with a listing.
struct CheckResult {
  std::string listing;  // the file
  size_t objects = 0;
  replay::Comparison comparison;
};

// Prints, after a conversion, what was met in the trace and what came of it.
void PrintConversion(const Tool& tool, const replay::TraceOutcome& outcome, const std::string& file, Bytes size);

void PrintReport(const Tool& tool, const replay::RunResult& result, const std::optional<CheckResult>& check);

}  // namespace betr::tools
