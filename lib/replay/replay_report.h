// SPDX-License-Identifier: Apache-2.0
// What a replay measured, and where its outcome differs from the trace. One thread.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "betr/units.h"
#include "replay/interpret/operation.h"
#include "replay/latency.h"

namespace betr::replay {

struct KindReport {
  Latency latency{};
  uint64_t failed = 0;     // as they did in the trace
  uint64_t different = 0;  // not as in the trace
};

struct ReplayReport {
  std::array<KindReport, kOperationKinds> kinds{};
  Bytes read{0};                                  // by the programs of the trace
  Bytes written{0};                               // the same; without clones, which move no bytes
  std::chrono::nanoseconds late{0};               // in the rhythm of the trace: how late the last operation began
  std::map<std::string, uint64_t> differences{};  // "open: ENOENT instead of 0" and how often
  std::vector<std::string> samples{};             // the first of them, with line and path

  // Counts an operation that ended as the trace says.
  void Add(const Operation& operation, std::chrono::nanoseconds took);
  // The same for one that ended with `outcome`. Returns what is different; empty if nothing.
  std::string Add(const Operation& operation, const Outcome& outcome, std::chrono::nanoseconds took);
  // Whether there are not enough samples yet.
  bool WantsSamples() const;
  // Keeps a difference as a sample, if there are not enough yet. `path` may be empty.
  void AddSample(uint64_t line, std::string_view what, std::string_view path);

  uint64_t Operations() const;
  uint64_t Different() const;
  std::chrono::nanoseconds Total() const;
};

// Returns what differs between the outcome and the trace; empty if nothing.
std::string DifferenceOf(const Operation& operation, const Outcome& outcome);

}  // namespace betr::replay
