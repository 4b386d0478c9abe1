// SPDX-License-Identifier: Apache-2.0
// Performs operations on a target one after the other, measures them, and compares what comes out with the trace. One
// thread.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "replay/interpreter.h"
#include "replay/latency.h"
#include "replay/operation.h"
#include "replay/target.h"

namespace betr::replay {

struct KindReport {
  Latency latency{};
  uint64_t failed = 0;     // as they did in the trace
  uint64_t different = 0;  // not as in the trace
};

struct ReplayReport {
  std::array<KindReport, kOperationKinds> kinds{};
  Bytes read{0};                     // by the programs of the trace
  Bytes written{0};                  // the same
  std::chrono::nanoseconds late{0};  // in the rhythm of the trace: how much too late the last operation began
  std::map<std::string, uint64_t> differences{};  // "open: ENOENT instead of 0" and how often
  std::vector<std::string> samples{};             // the first of them, with line and path

  uint64_t Operations() const;
  uint64_t Different() const;
  std::chrono::nanoseconds Total() const;
};

class Replayer final : public OperationSink {
 public:
  // All outlive this. The name space gives the paths for messages. A null target takes everything as the trace has it.
  Replayer(Target* target, const NameSpace* space, Clock* clock) : target_(target), space_(*space), clock_(*clock) {}

  // From now on operations begin when they began in the trace, so many times as fast. 0: as soon as they can.
  void SetSpeed(double speed) { speed_ = speed; }

  void Perform(const Operation& operation) override;
  const ReplayReport& report() const { return report_; }

 private:
  void WaitForTurn(std::chrono::nanoseconds traced);
  void Note(const Operation& operation, const std::string& what);

  Target* const target_;
  const NameSpace& space_;
  Clock& clock_;
  ReplayReport report_;
  double speed_ = 0;
  std::optional<std::chrono::nanoseconds> first_traced_;  // of the first operation that has a time
  std::chrono::nanoseconds first_here_{0};
};

// What is wrong with the outcome, by the trace; empty if nothing. For the differences of a report.
std::string DifferenceOf(const Operation& operation, const Outcome& outcome);

}  // namespace betr::replay
