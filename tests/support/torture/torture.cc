// SPDX-License-Identifier: Apache-2.0
#include "support/torture/torture.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "betr/experiments.h"
#include "store/format_any_size.h"
#include "support/torture/crash_choice.h"
#include "support/torture/session.h"
#include "support/torture/verify.h"

namespace betr::test {
namespace {

thread_local uint64_t current_case = 0;

// What a session at some depth does. Deeper ones are shorter: there are more of them.
struct Level {
  int steps_min;
  int steps_max;
  int crashes;
  uint64_t deeper_one_in;  // of its crashes
};

constexpr int kRounds = 3;

Level LevelAt(int depth) {
  switch (depth) {
    case 0:
      return {30, 130, 48, 8};
    case 1:
      return {4, 24, 8, 4};
    default:
      return {1, 12, 5, 4};
  }
}

// The replay command brings back the rest.
std::string Brief(const CrashPlan& plan) {
  constexpr size_t kMaxFragments = 8;
  return plan.fragments.size() <= kMaxFragments
             ? FormatPlan(plan)
             : fmt::format("after {} events, {} fragments", plan.events, plan.fragments.size());
}

Profile DrawProfile(Random& random, const TortureOptions& options) {
  Profile profile = RandomProfile(random, options.tight);
  profile.trims = options.trims;
  profile.tunes = options.tunes;
  return profile;
}

class Case {
 public:
  Case(uint64_t seed, const TortureOptions& options, TortureTally& tally)
      : random_(seed), options_(options), profile_(DrawProfile(random_, options)), tally_(tally) {}

  absl::Status Run() {
    MemoryDevice empty(profile_.device_size);
    BETR_RETURN_IF_ERROR(store::FormatAnySize(empty, profile_.format));
    PageMap image = empty.Pages();
    Model model;
    for (int round = 0; round < kRounds; ++round) {
      const absl::Status status = Round(image, model);
      if (!status.ok()) return Annotate(status, fmt::format("round {}", round));
    }
    return absl::OkStatus();
  }

 private:
  // A session with its crashes; leaves what one more crash makes of it.
  absl::Status Round(PageMap& image, Model& model) {
    auto session = NewSession(std::move(image), std::move(model));
    BETR_RETURN_IF_ERROR(session->Open());
    BETR_RETURN_IF_ERROR(Work(*session, 0));
    BETR_RETURN_IF_ERROR(Crash(*session, 0));
    const CrashPlan plan = ChooseCrash(session->history(), random_);
    image = session->history().CrashImage(plan)->Pages();
    auto after = NewSession(PageMap(image), Model());
    BETR_RETURN_IF_ERROR(Annotate(after->Recover(session->timeline(), plan.events), Brief(plan)));
    model = after->timeline().Now();
    return absl::OkStatus();
  }

  std::unique_ptr<Session> NewSession(PageMap image, Model model) {
    auto session =
        std::make_unique<Session>(profile_, OptionsOf(), profile_.device_size, std::move(image), std::move(model));
    if (options_.lying_device) session->LoseFlushes();
    return session;
  }

  StoreOptions OptionsOf() {
    StoreOptions options = RandomOptions(random_, options_.background);
    options.experiments = *ParseExperiments(options_.experiments);
    return options;
  }

  absl::Status Work(Session& session, int depth) {
    const Level level = LevelAt(depth);
    const auto steps = static_cast<int>(
        random_.Between(static_cast<uint64_t>(level.steps_min), static_cast<uint64_t>(level.steps_max)));
    BETR_RETURN_IF_ERROR(session.Run(random_, steps));
    if (random_.OneIn(2)) BETR_RETURN_IF_ERROR(session.CheckAll());
    session.Kill();
    tally_.device_events += session.history().EventCount();
    tally_.batches += session.timeline().Count() - 1;
    for (const auto& [name, count] : session.coverage()) tally_.coverage[name] += count;
    return absl::OkStatus();
  }

  // Crashes a session that has come to its end `depth` crashes after the beginning.
  absl::Status Crash(const Session& session, int depth) {
    const Level level = LevelAt(depth);
    for (int i = 0; i < level.crashes; ++i) {
      const CrashPlan plan = ChooseCrash(session.history(), random_);
      const absl::Status status = CrashOnce(session, plan, depth + 1);
      if (!status.ok()) return Annotate(status, fmt::format("crash {} {}", i, Brief(plan)));
    }
    return absl::OkStatus();
  }

  absl::Status CrashOnce(const Session& session, const CrashPlan& plan, int depth) {
    std::unique_ptr<MemoryDevice> image = session.history().CrashImage(plan);
    if (random_.OneIn(4)) BETR_RETURN_IF_ERROR(CheckStored(*image));
    auto after = NewSession(image->Pages(), Model());
    BETR_RETURN_IF_ERROR(after->Recover(session.timeline(), plan.events));
    ++tally_.states[static_cast<size_t>(depth) - 1];
    if (depth >= options_.depth || !random_.OneIn(LevelAt(depth - 1).deeper_one_in)) return absl::OkStatus();
    BETR_RETURN_IF_ERROR(Work(*after, depth));
    return Crash(*after, depth);
  }

  Random random_;
  const TortureOptions& options_;
  const Profile profile_;
  TortureTally& tally_;
};

// Hands out cases to threads and collects what they find.
class Runner {
 public:
  Runner(const TortureOptions& options, const std::function<void(const TortureTally&)>& on_progress)
      : options_(options), on_progress_(on_progress), next_seed_(options.seed) {}

  void Work() {
    while (Goes()) {
      const uint64_t seed = next_seed_++;
      TortureTally tally;
      const absl::Status status = RunCase(seed, options_, tally);
      const MutexLock lock(mutex_);
      result_.tally.Add(tally);
      if (!status.ok() && !result_.failure) result_.failure = {seed, std::string(status.message())};
      on_progress_(result_.tally);
    }
  }

  TortureResult Take() {
    const MutexLock lock(mutex_);
    return std::move(result_);
  }

 private:
  bool Goes() {
    const MutexLock lock(mutex_);
    const bool is_limited = options_.states > 0 || options_.seconds.count() > 0;
    const bool is_late = options_.seconds.count() > 0 && std::chrono::steady_clock::now() - start_ >= options_.seconds;
    const bool is_enough = is_limited ? options_.states > 0 && result_.tally.States() >= options_.states
                                      : next_seed_.load() > options_.seed;
    return !result_.failure && !is_late && !is_enough;
  }

  const TortureOptions& options_;
  const std::function<void(const TortureTally&)>& on_progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<uint64_t> next_seed_;
  Mutex mutex_;
  TortureResult result_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

uint64_t TortureTally::States() const {
  uint64_t sum = 0;
  for (const uint64_t at_depth : states) sum += at_depth;
  return sum;
}

void TortureTally::Add(const TortureTally& other) {
  cases += other.cases;
  for (size_t i = 0; i < states.size(); ++i) states[i] += other.states[i];
  device_events += other.device_events;
  batches += other.batches;
  for (const auto& [name, count] : other.coverage) coverage[name] += count;
}

absl::Status RunCase(uint64_t seed, const TortureOptions& options, TortureTally& tally) {
  current_case = seed;
  ++tally.cases;
  return Case(seed, options, tally).Run();
}

TortureResult RunTorture(const TortureOptions& options, const std::function<void(const TortureTally&)>& on_progress) {
  Runner runner(options, on_progress);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::max(1U, options.jobs); ++i) {
    threads.emplace_back([&] { runner.Work(); });
  }
  runner.Work();
  for (std::thread& thread : threads) thread.join();
  return runner.Take();
}

uint64_t CurrentCase() { return current_case; }

std::string ReplayCommand(uint64_t seed, const TortureOptions& options) {
  return fmt::format("betr-torture --seed {} --depth {}{}", seed, options.depth,
                     options.background ? " --background" : "") +
         (options.tight ? " --tight" : "") + (options.trims ? " --trim" : "") + (options.tunes ? " --tune" : "") +
         (options.experiments.empty() ? "" : " --experiment " + options.experiments);
}

}  // namespace betr::test
