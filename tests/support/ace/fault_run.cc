// SPDX-License-Identifier: Apache-2.0
#include "support/ace/fault_run.h"

#include <cerrno>
#include <chrono>
#include <memory>
#include <utility>

#include "base/checksum.h"
#include "base/status.h"
#include "device/fault_device.h"
#include "device/recording_device.h"
#include "support/ace/driver.h"
#include "support/ace/plan.h"
#include "support/ace/recovery.h"
#include "support/ace/timeline.h"
#include "support/torture/fault_run.h"
#include "support/torture/verify.h"

namespace betr::ace {
namespace {

bool TellsLoss(const absl::Status& status) {
  return status.message().find("writes were lost") != absl::string_view::npos;
}

bool BreaksWrites(const Fault& fault) { return fault.on != Fault::On::kRead; }

class FaultedRun {
 public:
  FaultedRun(const Ground& ground, const Workload& workload, const Fault& fault, uint64_t seed, Tally& tally)
      : ground_(ground),
        workload_(workload),
        fault_(fault),
        tally_(tally),
        random_(seed ^ fault.nth),
        clock_(std::chrono::seconds(kStartTime.seconds)),
        disk_(ground.size(), ground.pages()),
        recorder_(disk_, ground.pages()),
        faults_(recorder_),
        timeline_(ground.write_unit()) {}

  // False if the fault did not fire: there are fewer operations than that.
  absl::StatusOr<bool> Go() {
    faults_.Arm(fault_);
    BETR_RETURN_IF_ERROR(Work());
    faults_.Disarm();
    ++tally_.faulted;
    BETR_RETURN_IF_ERROR(Annotate(LookAfterwards(), "afterwards"));
    return is_hit_;
  }

 private:
  absl::Status Work() {
    absl::StatusOr<std::unique_ptr<Store>> store = ground_.Open(faults_);
    if (!store.ok()) return Annotate(Tolerate(store.status()), "open");
    const absl::StatusOr<std::unique_ptr<FileSystem>> fs = Ground::Mount(*std::move(store), clock_);
    if (!fs.ok()) return Annotate(Tolerate(fs.status()), "mount");
    absl::Status status = CallAll(**fs);
    is_hit_ = is_hit_ || faults_.Hits() > 0;
    faults_.CutPower();  // what ends now was killed
    return status;
  }

  absl::Status CallAll(FileSystem& fs) {
    Driver driver(fs);
    for (const Call& call : PlanCalls(workload_)) {
      clock_.Advance(std::chrono::seconds(1));
      ++tally_.calls;
      const absl::StatusOr<uint64_t> number = driver.Do(call);
      if (!number.ok()) return Annotate(LookBeside(fs, call, number.status()), FormatCall(call));
      timeline_.Add(timeline_.After(call, fs.Now(), *number));
      if (call.kind == Call::Kind::kSync) timeline_.MarkPersistent(recorder_.History().EventCount());
    }
    return absl::OkStatus();
  }

  // Errors that may come of a device that fails.
  absl::Status Tolerate(const absl::Status& status) {
    is_hit_ = is_hit_ || faults_.Hits() > 0;
    const bool may_be =
        status.ok() || absl::IsUnavailable(status) || absl::IsFailedPrecondition(status) || ToErrno(status) == EROFS;
    return may_be && is_hit_ ? absl::OkStatus() : test::Finding(status.ToString());
  }

  // What can be seen after a call has failed, on a device that does not fail any more.
  absl::Status LookBeside(FileSystem& fs, const Call& call, const absl::Status& failed) {
    BETR_RETURN_IF_ERROR(Tolerate(failed));
    if (BreaksWrites(fault_) && !fs.store().ReadOnly()) {
      return test::Finding("a write or flush has failed, and the store goes on");
    }
    faults_.Disarm();
    // Writes of one file may be lost and what came later not: that is no prefix, but it is told.
    const absl::Status synced = fs.Sync();
    is_lossy_ = TellsLoss(failed) || TellsLoss(synced);
    if (is_lossy_) return Tolerate(synced);
    std::vector<Model> partly = timeline_.After(call, fs.Now(), 0);
    // A clone, or a rename that leaves something, has happened when attributes are read.
    const bool may_have_happened = call.kind == Call::Kind::kClone || call.kind == Call::Kind::kLeave;
    partly.resize(partly.size() - (may_have_happened ? 0 : 1), timeline_.Last());
    const absl::StatusOr<Survey> survey = TakeSurvey(fs);
    if (!survey.ok()) {  // what was gathered cannot be handed over
      timeline_.Add(std::move(partly));
      return Tolerate(survey.status());
    }
    std::string difference = DifferenceOf(*survey, timeline_.Last());
    for (size_t steps = 1; !difference.empty() && steps <= partly.size(); ++steps) {
      if (DifferenceOf(*survey, partly[steps - 1]).empty()) {
        partly.resize(steps, timeline_.Last());
        timeline_.Add(std::move(partly));
        difference.clear();
        break;
      }
    }
    if (!difference.empty()) return test::Finding("a call that failed has changed something: " + difference);
    if (synced.ok()) timeline_.MarkPersistent(recorder_.History().EventCount());
    return synced.ok() ? synced : Tolerate(synced);
  }

  // What had reached storage: all of it, nothing since the last flush, anything.
  absl::Status LookAfterwards() {
    const WriteHistory& history = recorder_.History();
    const size_t events = history.EventCount();
    for (const CrashPlan& plan : {history.PrefixPlan(events), CrashPlan{events, {}},
                                  history.RandomPlan(events, random_), history.SectorPlan(events, random_)}) {
      ++tally_.states;
      BETR_RETURN_IF_ERROR(Annotate(Reopen(plan), FormatPlan(plan)));
    }
    return absl::OkStatus();
  }

  absl::Status Reopen(const CrashPlan& plan) {
    const std::unique_ptr<MemoryDevice> image = recorder_.History().CrashImage(plan);
    BETR_RETURN_IF_ERROR(test::CheckStored(*image));
    Recovery recovery(ground_, *image);
    BETR_ASSIGN_OR_RETURN(const Survey survey, recovery.Recover());
    if (is_lossy_) return absl::OkStatus();
    BETR_RETURN_IF_ERROR(timeline_.Identify(survey, plan.events).status());
    return recovery.CheckWrites(survey);
  }

  const Ground& ground_;
  const Workload& workload_;
  const Fault fault_;
  Tally& tally_;
  Random random_;
  ManualClock clock_;
  MemoryDevice disk_;
  RecordingDevice recorder_;
  FaultDevice faults_;
  Timeline timeline_;
  bool is_hit_ = false;
  bool is_lossy_ = false;  // the file system has said that writes were lost
};

}  // namespace

absl::Status RunOnFailingDevices(const Ground& ground, const Workload& workload, uint64_t every, uint64_t seed,
                                 Tally& tally) {
  const uint64_t drawn = seed ^ Checksum(FormatWorkload(workload));
  for (Fault fault : test::AllFaults()) {
    if (fault.effect == Fault::Effect::kShort) {
      continue;  // of a log that is not read whole nobody can tell that it does not just end there
    }
    bool fired = true;
    for (fault.nth = 1 + drawn % every; fired; fault.nth += every) {
      const absl::StatusOr<bool> result = FaultedRun(ground, workload, fault, drawn, tally).Go();
      BETR_RETURN_IF_ERROR(Annotate(result.status(), test::FormatFault(fault)));
      fired = *result;
    }
  }
  return absl::OkStatus();
}

}  // namespace betr::ace
