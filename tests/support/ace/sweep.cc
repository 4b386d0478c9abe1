// SPDX-License-Identifier: Apache-2.0
#include "support/ace/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "betr/experiments.h"

namespace betr::ace {
namespace {

class Sweep {
 public:
  Sweep(const SweepOptions& options, const std::function<void(const SweepProgress&)>& on_progress)
      : options_(options), on_progress_(on_progress) {
    if (options.sample == 0) {
      sequences_ = Sequences(options.set, options.length);
      begin_ = std::min(options.first, sequences_.size());
      end_ = begin_ + std::min(options.sequences, sequences_.size() - begin_);
    } else {
      end_ = options.sample;
    }
    next_ = begin_;
    progress_.of = end_ - begin_;
  }

  void Work() {
    const absl::StatusOr<Ground> ground = Ground::Make(options_.constants, *ParseExperiments(options_.experiments));
    if (!ground.ok()) {
      Fail("", ground.status());
      return;
    }
    while (Goes()) {
      const size_t item = next_.fetch_add(1);
      if (item >= end_) return;
      Tally tally;
      if (options_.sample == 0) {
        ForEachWorkload(sequences_[item], [&](const Workload& workload) { return Do(*ground, workload, tally); });
      } else {
        Random random(options_.run.seed + item * 0x9e3779b9);
        Do(*ground, DrawWorkload(options_.set, options_.length, random), tally);
      }
      const MutexLock lock(mutex_);
      progress_.tally.Add(tally);
      ++progress_.sequences;
      on_progress_(progress_);
    }
  }

  SweepProgress Take() {
    const MutexLock lock(mutex_);
    return std::move(progress_);
  }

 private:
  bool Goes() {
    const MutexLock lock(mutex_);
    return progress_.failures.size() < options_.max_failures;
  }

  // False: enough is known.
  bool Do(const Ground& ground, const Workload& workload, Tally& tally) {
    const absl::Status status = RunWorkload(ground, workload, options_.run, tally);
    if (!status.ok()) {
      Fail(FormatWorkload(workload), status);
      return Goes();
    }
    return true;
  }

  void Fail(std::string workload, const absl::Status& status) {
    const MutexLock lock(mutex_);
    progress_.failures.push_back({std::move(workload), std::string(status.message())});
  }

  const SweepOptions& options_;
  const std::function<void(const SweepProgress&)>& on_progress_;
  std::vector<Sequence> sequences_;
  size_t begin_ = 0;
  size_t end_ = 0;
  std::atomic<size_t> next_{0};
  Mutex mutex_;
  SweepProgress progress_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

SweepProgress RunSweep(const SweepOptions& options, const std::function<void(const SweepProgress&)>& on_progress) {
  Sweep sweep(options, on_progress);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::max(1U, options.jobs); ++i) {
    threads.emplace_back([&] { sweep.Work(); });
  }
  sweep.Work();
  for (std::thread& thread : threads) thread.join();
  return sweep.Take();
}

std::string_view NameOf(Crashes crashes) {
  constexpr std::string_view kNames[] = {"points", "writes", "sampled", "all"};
  return kNames[static_cast<size_t>(crashes)];
}

std::string ReplayCommand(const SweepOptions& options, const std::string& workload) {
  const std::string experiments = options.experiments.empty() ? "" : " --experiment " + options.experiments;
  const std::string what = options.run.fault_every > 0 ? fmt::format("--faults {}", options.run.fault_every)
                                                       : fmt::format("--crashes {}", NameOf(options.run.crashes));
  return fmt::format("betr-ace --constants {}{} {} --seed {} --run {}", NameOf(options.constants), experiments, what,
                     options.run.seed, workload);
}

}  // namespace betr::ace
