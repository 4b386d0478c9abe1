// SPDX-License-Identifier: Apache-2.0
#include "support/ace/run.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/status.h"
#include "device/fault_device.h"
#include "device/recording_device.h"
#include "support/ace/driver.h"
#include "support/ace/fault_run.h"
#include "support/ace/plan.h"
#include "support/ace/recovery.h"
#include "support/ace/states.h"
#include "support/ace/survey.h"
#include "support/ace/timeline.h"
#include "support/torture/crash_choice.h"
#include "support/torture/verify.h"

namespace betr::ace {
namespace {

constexpr size_t kSampledCrashes = 4;  // of a workload, besides its persistence points
constexpr uint64_t kStoredOneIn = 16;
constexpr uint64_t kAgainOneIn = 16;
constexpr uint64_t kEmptiedOneIn = 16;

thread_local const Workload* current_workload = nullptr;

class Run {
 public:
  Run(const Ground& ground, const Workload& workload, const RunOptions& options, Tally& tally)
      : ground_(ground),
        options_(options),
        tally_(tally),
        workload_(workload),
        random_(options.seed ^ Checksum(FormatWorkload(workload))),
        clock_(std::chrono::seconds(kStartTime.seconds)),
        disk_(ground.size(), ground.pages()),
        recorder_(disk_, ground.pages()),
        faults_(recorder_),
        timeline_(ground.write_unit()) {}

  absl::Status Record() {
    if (options_.lying_device) {
      faults_.Arm({.on = Fault::On::kFlush, .repeat = Fault::Repeat::kFromThenOn, .effect = Fault::Effect::kLost});
    }
    BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, ground_.Open(faults_));
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<FileSystem> fs, Ground::Mount(std::move(store), clock_));
    Driver driver(*fs);
    for (const Call& call : PlanCalls(workload_)) {
      const absl::Status done = Do(*fs, driver, call);
      if (!done.ok()) return Annotate(done, FormatCall(call));
    }
    BETR_ASSIGN_OR_RETURN(const Survey survey, TakeSurvey(*fs));
    const std::string difference = DifferenceOf(survey, timeline_.Last());
    if (!difference.empty()) return test::Finding("without a crash: " + difference);
    Count(fs->store());
    return absl::OkStatus();
  }

  absl::Status CrashAll() {
    for (const CrashPlan& plan : Plans()) {
      const absl::Status status = Examine(plan);
      if (!status.ok()) return Annotate(status, FormatPlan(plan));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Do(FileSystem& fs, Driver& driver, const Call& call) {
    clock_.Advance(std::chrono::seconds(1));
    ++tally_.calls;
    BETR_ASSIGN_OR_RETURN(const uint64_t number, driver.Do(call));
    timeline_.Add(timeline_.After(call, fs.Now(), number));
    if (call.kind == Call::Kind::kSync) {
      timeline_.MarkPersistent(recorder_.History().EventCount());
      ++tally_.points;
    }
    return absl::OkStatus();
  }

  void Count(const Store& store) {
    tally_.device_events += recorder_.History().EventCount();
    store.Stats().ForEach([&](std::string_view name, uint64_t count) {
      if (!name.starts_with("cache") && !name.ends_with("_ns")) tally_.coverage[std::string(name)] += count;
    });
  }

  std::vector<CrashPlan> Plans() {
    const WriteHistory& history = recorder_.History();
    if (options_.crashes == Crashes::kAll) return AllCrashes(history, random_);
    if (options_.crashes == Crashes::kWrites) return CrashesAfterWrites(history);
    std::vector<CrashPlan> plans;
    for (const auto& [events, state] : timeline_.points()) plans.push_back(history.PrefixPlan(events));
    for (size_t i = 0; options_.crashes == Crashes::kSampled && i < kSampledCrashes; ++i) {
      plans.push_back(test::ChooseCrash(history, random_));
    }
    return plans;
  }

  absl::Status Examine(const CrashPlan& plan) {
    ++tally_.states;
    const bool is_point = plan.fragments.empty() && timeline_.points().contains(plan.events);
    const auto is_drawn = [&](uint64_t one_in) {
      return random_.OneIn(one_in) || (is_point && options_.crashes == Crashes::kAll);
    };
    const std::unique_ptr<MemoryDevice> image = recorder_.History().CrashImage(plan);
    if (is_drawn(kStoredOneIn)) BETR_RETURN_IF_ERROR(test::CheckStored(*image));
    Recovery recovery(ground_, *image);
    BETR_ASSIGN_OR_RETURN(const Survey survey, recovery.Recover());
    BETR_ASSIGN_OR_RETURN(const size_t state, timeline_.Identify(survey, plan.events));
    if (is_drawn(kAgainOneIn)) {
      BETR_ASSIGN_OR_RETURN(const uint64_t again, recovery.RecoverAgain(timeline_.At(state), random_));
      tally_.again += again;
    }
    BETR_RETURN_IF_ERROR(recovery.CheckWrites(survey));
    if (is_drawn(kEmptiedOneIn)) BETR_RETURN_IF_ERROR(recovery.CheckEmptied());
    return absl::OkStatus();
  }

  const Ground& ground_;
  const RunOptions& options_;
  Tally& tally_;
  const Workload& workload_;
  Random random_;
  ManualClock clock_;
  MemoryDevice disk_;
  RecordingDevice recorder_;
  FaultDevice faults_;
  Timeline timeline_;
};

absl::Status RecordAndCrash(const Ground& ground, const Workload& workload, const RunOptions& options, Tally& tally) {
  Run run(ground, workload, options, tally);
  BETR_RETURN_IF_ERROR(run.Record());
  return run.CrashAll();
}

}  // namespace

void Tally::Add(const Tally& other) {
  workloads += other.workloads;
  calls += other.calls;
  points += other.points;
  device_events += other.device_events;
  states += other.states;
  again += other.again;
  faulted += other.faulted;
  for (const auto& [name, count] : other.coverage) coverage[name] += count;
}

absl::Status RunWorkload(const Ground& ground, const Workload& workload, const RunOptions& options, Tally& tally) {
  current_workload = &workload;
  ++tally.workloads;
  absl::Status status = options.fault_every > 0
                            ? RunOnFailingDevices(ground, workload, options.fault_every, options.seed, tally)
                            : RecordAndCrash(ground, workload, options, tally);
  current_workload = nullptr;
  return status;
}

std::string CurrentWorkload() { return current_workload == nullptr ? "" : FormatWorkload(*current_workload); }

}  // namespace betr::ace
