// SPDX-License-Identifier: Apache-2.0
#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "support/torture/fault_run.h"

namespace betr::test {
namespace {

template <class Value, size_t kCount>
using Names = std::array<std::pair<Value, std::string_view>, kCount>;

constexpr Names<Fault::On, 3> kOns{
    {{Fault::On::kRead, "read"}, {Fault::On::kWrite, "write"}, {Fault::On::kFlush, "flush"}}};
constexpr Names<Fault::Effect, 4> kEffects{{{Fault::Effect::kIoError, "eio"},
                                            {Fault::Effect::kNoSpace, "enospc"},
                                            {Fault::Effect::kHalfDone, "half"},
                                            {Fault::Effect::kShort, "short"}}};

template <class Value, size_t kCount>
std::string_view NameOf(const Names<Value, kCount>& names, Value value) {
  const auto named = std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.first == value; });
  return named == names.end() ? "?" : named->second;
}

template <class Value, size_t kCount>
std::optional<Value> ValueOf(const Names<Value, kCount>& names, std::string_view text) {
  const auto named = std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.second == text; });
  return named == names.end() ? std::nullopt : std::optional(named->first);
}

// One workload and one kind of fault, at every n.
struct Series {
  uint64_t seed;
  Fault fault;
};

class Sweeper {
 public:
  Sweeper(const FaultSweep& sweep, FaultTally& tally, const std::function<void(const FaultTally&)>& on_progress)
      : sweep_(sweep), tally_(tally), on_progress_(on_progress) {
    for (uint64_t i = 0; i < sweep.workloads; ++i) {
      for (const Fault& fault : AllFaults()) series_.push_back({sweep.seed + i, fault});
    }
  }

  void Work() {
    for (size_t i = next_++; i < series_.size() && !Failed(); i = next_++) Go(series_[i]);
  }

  std::optional<FaultFailure> Take() {
    const MutexLock lock(mutex_);
    return std::move(failure_);
  }

 private:
  bool Failed() {
    const MutexLock lock(mutex_);
    return failure_.has_value();
  }

  void Go(const Series& series) {
    FaultRun run{series.seed, series.fault, sweep_.background};
    bool fired = true;
    for (run.fault.nth = 1 + series.seed % sweep_.every; fired && !Failed(); run.fault.nth += sweep_.every) {
      FaultTally tally;
      const absl::StatusOr<bool> result = RunFault(run, tally);
      const MutexLock lock(mutex_);
      tally_.Add(tally);
      if (!result.ok() && !failure_) failure_ = {run, result.status().ToString()};
      fired = result.ok() && *result;
      on_progress_(tally_);
    }
  }

  const FaultSweep& sweep_;
  FaultTally& tally_;
  const std::function<void(const FaultTally&)>& on_progress_;
  std::vector<Series> series_;
  std::atomic<size_t> next_{0};
  Mutex mutex_;
  std::optional<FaultFailure> failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

// Reads need no space, and flushes have no half. A write that is short without a word is a device that lies.
std::vector<Fault> AllFaults() {
  std::vector<Fault> faults;
  for (const Fault::Repeat repeat : {Fault::Repeat::kOnce, Fault::Repeat::kFromThenOn}) {
    faults.push_back({Fault::On::kRead, 1, repeat, Fault::Effect::kIoError});
    faults.push_back({Fault::On::kRead, 1, repeat, Fault::Effect::kHalfDone});
    faults.push_back({Fault::On::kRead, 1, repeat, Fault::Effect::kShort});
    faults.push_back({Fault::On::kWrite, 1, repeat, Fault::Effect::kIoError});
    faults.push_back({Fault::On::kWrite, 1, repeat, Fault::Effect::kHalfDone});
    faults.push_back({Fault::On::kWrite, 1, repeat, Fault::Effect::kNoSpace});
    faults.push_back({Fault::On::kFlush, 1, repeat, Fault::Effect::kIoError});
    faults.push_back({Fault::On::kFlush, 1, repeat, Fault::Effect::kNoSpace});
  }
  return faults;
}

std::optional<FaultFailure> SweepFaults(const FaultSweep& sweep, FaultTally& tally,
                                        const std::function<void(const FaultTally&)>& on_progress) {
  Sweeper sweeper(sweep, tally, on_progress);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::max(1U, sweep.jobs); ++i) {
    threads.emplace_back([&] { sweeper.Work(); });
  }
  sweeper.Work();
  for (std::thread& thread : threads) thread.join();
  return sweeper.Take();
}

std::string FormatFault(const Fault& fault) {
  return fmt::format("{},{},{},{}", NameOf(kOns, fault.on), fault.nth,
                     fault.repeat == Fault::Repeat::kOnce ? "once" : "on", NameOf(kEffects, fault.effect));
}

std::optional<Fault> ParseFault(std::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), ',');
  if (parts.size() != 4 || (parts[2] != "once" && parts[2] != "on")) return std::nullopt;
  const std::optional<Fault::On> on = ValueOf(kOns, parts[0]);
  const std::optional<Fault::Effect> effect = ValueOf(kEffects, parts[3]);
  uint64_t nth = 0;
  if (!on || !effect || !absl::SimpleAtoi(parts[1], &nth) || nth == 0) return std::nullopt;
  return Fault{*on, nth, parts[2] == "once" ? Fault::Repeat::kOnce : Fault::Repeat::kFromThenOn, *effect};
}

std::string ReplayCommand(const FaultRun& run) {
  return fmt::format("betr-torture --seed {} --fault {}{}", run.seed, FormatFault(run.fault),
                     run.background ? " --background" : "");
}

}  // namespace betr::test
