// SPDX-License-Identifier: Apache-2.0
// Writing a state to disk: the dirty nodes in key order, the table pages that changed, and the catalog. One write of a
// superblock slot then switches trees, table and log position together. Writers go on meanwhile.
//
// Invariants
//   1. The stable state is kept until the next checkpoint is stable. So the space that it uses is not reused.
//   2. What the superblock refers to is flushed before the superblock is written. The superblock is flushed before
//      anybody is told, and before anything is written where the state before it lies. This also holds if another
//      process wrote the superblock (Confirm).
//   3. After a superblock that could not be written or flushed, nobody knows which of two states the device has. The
//      space of both stays in use, and the store's health lets no further superblock be written.
#pragma once

#include <absl/status/status.h>

#include <atomic>
#include <optional>

#include "base/mutex.h"
#include "layout/catalog_codec.h"
#include "store/core.h"
#include "store/log/log.h"
#include "store/state.h"
#include "store/upsert_names.h"

namespace betr::store {

class Checkpointer {
 public:
  // `stable` and its catalog are those that the superblock in `core` names.
  Checkpointer(Core& core, StatePtr stable, layout::StoredCatalog catalog);

  // Makes the superblock that was found at opening durable, before anything else is written. The process that wrote it
  // may have ended before its flush, or that flush may have failed. Then the superblock can be read, but a crash would
  // take it back. After a clean end, where the state before is the same one, this waits for the next superblock. Cost:
  // one write of what is there, and a flush.
  absl::Status Confirm();

  struct Begin {
    StatePtr state;  // has every batch up to lsn
    Lsn lsn;
    LogPosition log;               // of the first frame that a replay after lsn needs
    uint64_t order;                // of this beginning among all
    FunctionNames functions = {};  // that its messages may use, besides those of the catalog before
  };
  // Makes the state stable. Does nothing and returns false if it is stable already, or if one that began later is.
  // Errors: kResourceExhausted leaves the old state stable and everything usable. After a failed write the store must
  // not go on.
  absl::StatusOr<bool> Write(const Begin& begin);

  // Writes the superblock of the stable state once more, into the other slot and the copy, so that each of them
  // suffices alone. It says that the log ended with it, after `log_opening` openings; with 0 it says that the log may
  // go on. Used at the end, when no checkpoint follows. Does nothing if nothing was written since another clean end.
  absl::Status WriteTwin(uint64_t log_opening);

  // Prepares this session's first write of a node or of the log. Afterwards the superblock says durably that the log
  // may go on, and from which version on nodes are written; no later session uses these versions again. Does nothing if
  // it was called before. May wait for a checkpoint that is being written.
  absl::Status BeginWriting();

  // Returns which part of its nodes the checkpoint under way has written: 0 to 1. Nothing if none is under way, or if
  // it only remains to be flushed. Counted in nodes, so it is an estimate. Any thread; takes no lock.
  std::optional<double> Progress() const;

  // The state that the superblock names.
  StatePtr stable() const;

 private:
  // The superblock that follows the present one.
  layout::Superblock Next() const;
  // Writes and publishes a superblock; `state` is what it names.
  absl::Status Flip(layout::Superblock next, const StatePtr& state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);
  absl::Status WriteFlushed(const layout::Superblock& next) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);
  absl::Status ConfirmNow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);
  absl::Status BeginWritingNow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);
  absl::Status WriteNodes(const State& state);
  absl::StatusOr<layout::WrittenTable> WriteTable(const State& state, Generation generation);
  absl::Status WriteCatalog(const Begin& begin, Generation generation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);

  Core& core_;
  Mutex writing_;  // held across writes of the device, and before the other
  mutable Mutex mutex_;
  StatePtr stable_ ABSL_GUARDED_BY(mutex_);
  layout::Superblock superblock_ ABSL_GUARDED_BY(mutex_);
  uint64_t newest_ ABSL_GUARDED_BY(writing_) = 0;  // order of the newest written
  bool has_written_ ABSL_GUARDED_BY(writing_) = false;
  bool is_confirmed_ ABSL_GUARDED_BY(writing_) = false;
  std::atomic<bool> has_begun_ = false;
  std::atomic<size_t> nodes_to_write_ = 0;  // by the checkpoint under way
  std::atomic<size_t> nodes_written_ = 0;
  StatePtr doubtful_ ABSL_GUARDED_BY(writing_);  // what a superblock names that could not be written or flushed
  layout::StoredCatalog catalog_ ABSL_GUARDED_BY(writing_);
  layout::StoredCatalog stable_catalog_ ABSL_GUARDED_BY(writing_);  // keeps its space until the next superblock
};

}  // namespace betr::store
