// SPDX-License-Identifier: Apache-2.0
// What is done when the log holds much in memory. Small changes that fall on many nodes are written to the log. Bulk
// writes are not, since their leaves have to be stored anyway: a checkpoint takes them over or, if the options say so,
// nodes are stored without one and the log forgets the records (docs/log.md#forgetting).
#include <algorithm>

#include "base/status.h"
#include "store/impl.h"

namespace betr {
namespace {

// Nodes that stay dirty when the log forgets records: those on the way to the place that is written to will change
// again.
constexpr uint64_t kNodesKept = 4;
// Forgets at most so many times the log's memory before a checkpoint. That bounds what a crash loses of what nobody
// synced.
constexpr uint64_t kMostForgotten = 8;

}  // namespace

Bytes Store::Impl::LogMemory() const {
  const Bytes wanted = core_->options.log_memory;
  return std::min(wanted > Bytes{0} ? wanted : std::min(core_->cache->Budget() / 2, MiB(64)), log_->Size() / 4);
}

void Store::Impl::LogIsRelieved() {
  CountLogMemory();
  relieved_changes_ = core_->counters.changes.load();
  relieved_bytes_ = core_->counters.bytes_batches.load();
}

bool Store::Impl::ChangesAreLarge() const {
  const uint64_t relieved = relieved_changes_;  // first, since it grows towards the other
  const uint64_t changes = core_->counters.changes - relieved;
  const Bytes bulk = core_->options.bulk_change;
  return bulk > Bytes{0} && Bytes{core_->counters.bytes_batches - relieved_bytes_} >= bulk * changes;
}

bool Store::Impl::StoringIsCheap() const {
  // What storing nodes costs in addition: roots, and nodes on the way to the changes, will be written again.
  const bool spares_much = log_->Held() >= core_->shape.node_size * 2;
  const Bytes kept = log_->HasGap() ? core_->shape.node_size * kNodesKept : Bytes{0};
  return spares_much && core_->cache->Dirty() + fronts_.Size() <= log_->Used() * 3 / 2 + kept;
}

Store::Impl::LogRelief Store::Impl::HowToRelieveLog() const {
  if (!StoringIsCheap()) return log_->HasGap() ? LogRelief::kCheckpoint : LogRelief::kWriteOut;
  // Where space is short, what is replaced must not have to wait long for a checkpoint that gives it back.
  const bool may_forget = log_->Forgotten() < LogMemory() * kMostForgotten && !structure_.SpaceIsShort();
  return may_forget && ChangesAreLarge() ? LogRelief::kForget : LogRelief::kCheckpoint;
}

absl::Status Store::Impl::RelieveLog(LogRelief how) {
  switch (how) {
    case LogRelief::kForget:
      return ForgetLog();
    case LogRelief::kWriteOut:
      return WriteOutLog();
    case LogRelief::kCheckpoint:
      break;
  }
  return absl::OkStatus();
}

absl::Status Store::Impl::ForgetLog() {
  BETR_RETURN_IF_ERROR(checkpointer_.BeginWriting());
  log_->Forget(log_->LastLsn());
  LogIsRelieved();
  signals_.Wake();  // writers may go on while nodes are stored
  BETR_ASSIGN_OR_RETURN(const Bytes bytes, core_->io->WriteOldest(core_->shape.node_size * kNodesKept));
  core_->counters.bytes_eviction += bytes.value;
  return absl::OkStatus();
}

absl::Status Store::Impl::WriteOutLog() {
  absl::Status status = log_->WriteOut();
  if (!status.ok() && log_->status().ok()) {
    log_->Forget(log_->LastLsn());
    status = absl::OkStatus();
  }
  LogIsRelieved();
  if (!status.ok()) core_->health.Fail(status);
  return status;
}

absl::Status Store::Impl::KeepLogSmall() {
  if (log_ == nullptr || !LogIsCrowded()) return absl::OkStatus();
  const LogRelief how = HowToRelieveLog();
  absl::Status status = RelieveLog(how);
  if (how == LogRelief::kCheckpoint || absl::IsResourceExhausted(status)) status = CheckpointHoldingWriters();
  return absl::IsResourceExhausted(status) ? absl::OkStatus() : status;
}

}  // namespace betr
