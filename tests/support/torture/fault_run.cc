// SPDX-License-Identifier: Apache-2.0
#include "support/torture/fault_run.h"

#include <fmt/format.h>

#include <utility>

#include "base/status.h"
#include "layout/superblock.h"
#include "store/format_any_size.h"
#include "store/impl.h"
#include "support/torture/session.h"
#include "support/torture/verify.h"

namespace betr::test {
namespace {

constexpr int kStepsBefore = 40;  // on a healthy device, so that there is something to recover
constexpr int kStepsBeside = 60;
constexpr int kStepsAfter = 4;

bool BreaksWrites(const Fault& fault) { return fault.on == Fault::On::kWrite || fault.on == Fault::On::kFlush; }

class Run {
 public:
  Run(const FaultRun& run, FaultTally& tally)
      : run_(run), tally_(tally), random_(run.seed), profile_(RandomProfile(random_, false)) {}

  absl::StatusOr<bool> Go() {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Session> before, Prepare());
    Session session(profile_, Options(), profile_.device_size, AfterAll(before->history()), before->timeline().Now());
    session.faults().Arm(SparingTheLog());
    const absl::Status opened = Tolerate(session, session.Open());
    BETR_RETURN_IF_ERROR(Annotate(opened, "open"));
    if (session.store() == nullptr) ++tally_.not_opened;
    for (int i = 0; i < kStepsBeside && session.store() != nullptr; ++i) {
      BETR_RETURN_IF_ERROR(Annotate(Beside(session), fmt::format("step {}", i)));
    }
    const uint64_t hits = session.faults().Hits();
    tally_.hits += hits;
    session.Kill();
    session.faults().Disarm();
    ++tally_.runs;
    BETR_RETURN_IF_ERROR(Annotate(After(session), "afterwards"));
    return hits > 0;
  }

 private:
  StoreOptions Options() { return RandomOptions(random_, run_.background); }

  // Of a log whose last frame cannot be read whole nobody can say that it does not just end there.
  Fault SparingTheLog() const {
    Fault fault = run_.fault;
    if (fault.effect == Fault::Effect::kShort) fault.spared_to = layout::kLogOffset + profile_.format.log_size;
    return fault;
  }

  static PageMap AfterAll(const WriteHistory& history) {
    return history.CrashImage(history.PrefixPlan(history.EventCount()))->Pages();
  }

  // Ends like a program that is killed, so that there is a log to replay.
  absl::StatusOr<std::unique_ptr<Session>> Prepare() {
    MemoryDevice empty(profile_.device_size);
    BETR_RETURN_IF_ERROR(store::FormatAnySize(empty, profile_.format));
    auto session = std::make_unique<Session>(profile_, RandomOptions(random_, false), profile_.device_size,
                                             empty.Pages(), Model());
    BETR_RETURN_IF_ERROR(session->Open());
    BETR_RETURN_IF_ERROR(session->Run(random_, kStepsBefore));
    BETR_RETURN_IF_ERROR(session->Sync());
    session->Kill();
    return session;
  }

  // Errors that a store may give when its device fails.
  absl::Status Tolerate(Session& session, const absl::Status& status) {
    if (status.ok()) return status;
    const bool may_be = absl::IsUnavailable(status) || absl::IsFailedPrecondition(status) || IsShortRead(status);
    if (!may_be || session.faults().Hits() == 0) return status;
    ++tally_.errors;
    return absl::OkStatus();
  }

  // What checksums find.
  bool IsShortRead(const absl::Status& status) const {
    return absl::IsDataLoss(status) && run_.fault.effect == Fault::Effect::kShort;
  }

  absl::Status Beside(Session& session) {
    const Store* const store = session.store();
    const uint64_t hits = session.faults().Hits();
    const bool was_read_only = store->ReadOnly();
    BETR_RETURN_IF_ERROR(Tolerate(session, session.Next(random_)));
    if (session.store() == nullptr) {
      ++tally_.not_opened;
      return absl::OkStatus();
    }
    if (session.store() != store) {
      return absl::OkStatus();  // opened anew
    }
    const bool is_hit = session.faults().Hits() > hits;
    if (is_hit && BreaksWrites(run_.fault) && !run_.background && !store->ReadOnly()) {
      return Finding("a write or flush has failed, and the store goes on");
    }
    if (store->ReadOnly()) {
      tally_.read_only += was_read_only ? 0 : 1;
      return CheckReadOnly(*session.store());
    }
    return absl::OkStatus();
  }

  absl::Status CheckReadOnly(Store& store) const {
    const absl::Status written = store.CreateTree("one more").status();
    const absl::Status synced = store.Sync();
    for (const absl::Status& status : {written, synced}) {
      if (!absl::IsFailedPrecondition(status) || status.message().find("read-only") == std::string::npos) {
        return Finding("a store that is read-only says: " + status.ToString());
      }
    }
    const absl::Status status = CheckOpenStore(store);
    return absl::IsUnavailable(status) || IsShortRead(status) ? absl::OkStatus() : status;
  }

  // What had reached storage: all of it, nothing since the last flush, anything.
  absl::Status After(Session& session) {
    const WriteHistory& history = session.history();
    const size_t events = history.EventCount();
    for (const CrashPlan& plan : {history.PrefixPlan(events), CrashPlan{events, {}},
                                  history.RandomPlan(events, random_), history.SectorPlan(events, random_)}) {
      BETR_RETURN_IF_ERROR(Annotate(Reopen(session, plan), FormatPlan(plan)));
      ++tally_.images;
    }
    return absl::OkStatus();
  }

  absl::Status Reopen(const Session& session, const CrashPlan& plan) {
    std::unique_ptr<MemoryDevice> image = session.history().CrashImage(plan);
    BETR_RETURN_IF_ERROR(CheckStored(*image));
    Session after(profile_, RandomOptions(random_, false), profile_.device_size, image->Pages(), Model());
    BETR_RETURN_IF_ERROR(after.Recover(session.timeline(), plan.events));
    BETR_RETURN_IF_ERROR(after.Run(random_, kStepsAfter));
    return after.CheckAll();
  }

  const FaultRun& run_;
  FaultTally& tally_;
  Random random_;
  const Profile profile_;
};

}  // namespace

void FaultTally::Add(const FaultTally& other) {
  runs += other.runs;
  hits += other.hits;
  errors += other.errors;
  read_only += other.read_only;
  not_opened += other.not_opened;
  images += other.images;
}

absl::StatusOr<bool> RunFault(const FaultRun& run, FaultTally& tally) { return Run(run, tally).Go(); }

}  // namespace betr::test
