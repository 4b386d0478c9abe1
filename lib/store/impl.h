// SPDX-License-Identifier: Apache-2.0
// One open store: puts the parts together, and has the write path and the threads that work in the background.
//
// Threads and locks, in the order in which they are taken:
//   write_mutex_       one writer at a time, from checking a batch to making it visible
//   checkpoint_mutex_  one checkpoint is written at a time
//   Structure's turn   one structural writer at a time; held for one node's work, but to relieve a root (structure.h)
//   Fronts' lock       instants only
// Two background threads: one does structural steps, one writes dirty nodes and checkpoints. Helpers compress
// (node_io.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <thread>

#include "base/forks.h"
#include "base/mutex.h"
#include "betr/store.h"
#include "store/checkpoint.h"
#include "store/core.h"
#include "store/fronts.h"
#include "store/headroom.h"
#include "store/log/log.h"
#include "store/signals.h"
#include "store/structure.h"

namespace betr {

class ReadView {
 public:
  ReadView(std::shared_ptr<const store::View> view, const Store::Impl& owner) : view_(std::move(view)), owner_(owner) {}
  const store::View& view() const { return *view_; }
  // Ids of trees mean something in one store only.
  bool IsOf(const Store::Impl& store) const { return &owner_ == &store; }

 private:
  const std::shared_ptr<const store::View> view_;
  const Store::Impl& owner_;
};

class Store::Impl {
 public:
  static absl::StatusOr<std::unique_ptr<Impl>> Open(std::unique_ptr<BlockDevice> device, StoreOptions options);
  ~Impl();

  absl::Status Close();
  // Checks what every call but a read requires: the store is open, and in this process.
  absl::Status CheckOpen() const;
  // Checks what a write also requires: the store was not opened read-only.
  absl::Status MayWrite() const;
  // Checks whether a change of a tree would be let in, for one that would change nothing.
  absl::Status MayWriteTo(TreeId tree) const;
  // Whether it was opened in a process of which this one is a child. If so, its threads are not here, and they may hold
  // its locks.
  bool IsInherited() const { return forks_ != Forks(); }

  // Checks a batch, logs it and makes it visible; the next Sync makes it durable. Fills in the `ids` of new trees. A
  // batch that only erases has the purpose of a delete in any case.
  absl::Status Write(std::span<Op> ops, store::Purpose purpose = store::Purpose::kWrite);
  BatchSize MaxBatch() const;
  absl::Status Sync();
  absl::Status Checkpoint();
  absl::Status Compact(TreeId tree);
  absl::StatusOr<Bytes> Trim(const TrimOptions& options);

  absl::StatusOr<std::optional<std::string>> Get(const store::View* view, TreeId tree, std::string_view key);
  absl::StatusOr<std::unique_ptr<Cursor>> NewCursor(std::shared_ptr<const store::View> view, TreeId tree, Range bounds);
  absl::StatusOr<std::unique_ptr<DifferenceCursor>> NewDifference(std::shared_ptr<const store::View> view,
                                                                  const TreePrefix& before, const TreePrefix& after);
  absl::StatusOr<RangeEstimate> Estimate(TreeId tree, const Range& range);
  static absl::StatusOr<std::optional<ContentId>> IdOfContent(const store::View& view, TreeId tree,
                                                              std::string_view prefix);
  static absl::StatusOr<Footprint> FootprintOf(const store::View& view, const std::vector<TreePrefix>& prefixes);
  std::shared_ptr<const store::View> Pin() { return fronts_.Pin(); }

  StoreStats Stats() const;
  SpaceStats Space() const;
  // The same for the accounts of what builds on the store. No user is told the figures, so they do not make space come
  // back sooner.
  SpaceStats SpaceNow() const;

  store::Core& core() { return *core_; }
  store::Fronts& fronts() { return fronts_; }
  store::Structure& structure() { return structure_; }
  store::Checkpointer& checkpointer() { return checkpointer_; }
  // The functions that the image uses and this program does not know. Only a store opened read-only has any.
  store::FunctionNames UnknownFunctions();
  bool ReadOnly() const { return core_->options.read_only || !core_->health.status().ok(); }

 private:
  Impl(std::unique_ptr<store::Core> core, store::StatePtr state, layout::StoredCatalog catalog);

  // Write path.
  absl::Status CheckOps(std::span<Op> ops) const;
  // Checks that no new tree gets the id of one that is gone. The log may still name that one.
  absl::Status CheckNewIds(std::span<const Op> ops) const;
  // Checks that what the ops put in front of trees will find a place in them. Reads the root of a tree if nothing is in
  // front of it and it is not in memory.
  absl::Status CheckTargets(std::span<const Op> ops) const;
  // Remembers that these ops leave work behind, for closing and for the next writer without space. Also remembers, for
  // the catalog, which functions they use.
  void NoteWork(std::span<const Op> ops) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // What the point changes and range erases among `ops` put in front of trees (headroom.h).
  store::Pledge PledgeFor(std::span<const Op> ops) const;
  // Checks that there is space for the pledge. `after`: the state that will be behind it.
  absl::Status HaveSpace(const store::State& after, const store::Pledge& pledge, store::Purpose purpose) const;
  // Is called when nothing else can fail any more. It gets the state after the batch, what the batch puts into buffers,
  // and what it does once small copies are made. An error of it cancels the batch.
  using BeforePublish = std::function<absl::Status(const store::State&, const store::Pledge&, std::span<const Op>)>;
  // Logs a batch and makes it visible. Makes room in the log, or on the device, if that is what is missing.
  absl::Status ApplyAndLog(std::span<const Op> ops, store::Purpose purpose) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Whether these batches and those since the last checkpoint could make a tree taller than may be when they are
  // replayed, where nobody lowers it in between.
  bool MayBeTooTallToReplay(std::span<const Op> ops) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // The height of the tallest tree of the last checkpoint.
  dag::Height TallestStable() ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Makes the changes of a batch visible, or says that there is no space for them.
  using ApplyAs = std::function<absl::Status(std::span<const Op>, store::Purpose)>;
  // Applies a batch after MakeRoom, again and again. A delete waits for readers who keep space from it, for a limited
  // time.
  absl::Status ApplyWithRoom(std::span<const Op> ops, const ApplyAs& apply, store::Purpose purpose)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Tries a delete for which there is no space, once no work is left that makes some. It may use more of the reserve.
  // It may use still more in a form that leaves nothing behind (erase_residue.h), or that replaces what waits.
  struct LastTry {
    absl::Status status;
    bool leaves_nothing;  // there is a form that does
  };
  LastTry ApplyLast(std::span<const Op> ops, const ApplyAs& apply) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // The same. If there is such a form but no space for it, moves on the erases that wait, with what is left of the
  // reserve.
  absl::Status ApplyLastWithRoom(std::span<const Op> ops, const ApplyAs& apply)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Whether readers hold what was replaced since they began.
  bool ReadersKeepSpace() const { return fronts_.IsOlderHeld(checkpointer_.stable()); }
  // Waits until they do not. False if the time is over.
  bool WaitForReaders(std::chrono::steady_clock::time_point until) const;
  // Gives back some of the space that is not needed any more. False if there is none: then the store is full.
  // `purpose`: kSettle or kFree for deletes, as which the last of the work asks for space; otherwise the writer's.
  absl::StatusOr<bool> MakeRoom(store::Purpose purpose) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Does the steps of background work that this takes, a limited number of them, within the memory that there is. False
  // if nothing is left to do. Errors: kResourceExhausted if for what is left there is no space before a checkpoint.
  absl::StatusOr<bool> StepForRoom(store::Purpose growing, store::Structure::Last last)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Whether buffers, dirty memory or the log's memory are beyond their limits, or the log is ahead. (This and the next
  // three are in waiting_writers.cc.)
  bool IsCrowded() const;
  // Whether a writer has to wait because of that. It need not if no thread makes room, or if the one that does finds no
  // space for it.
  bool MustWait() const;
  // Waits until nobody has to wait, at that moment. Errors: the store has failed, or is closed.
  absl::Status WaitForRoom() ABSL_LOCKS_EXCLUDED(write_mutex_);
  // The part of Write that is done once it is this writer's turn.
  absl::Status WriteAlone(std::span<Op> ops, store::Purpose purpose) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  absl::Status AppendToLog(std::string_view record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  absl::Status ApplyOps(std::span<const Op> ops, const BeforePublish& before_publish);
  absl::Status ApplyPoints(std::span<const Op> ops, const BeforePublish& before_publish);
  absl::Status Replay(Lsn lsn, std::string_view record) ABSL_LOCKS_EXCLUDED(write_mutex_);
  absl::Status CheckpointReplayed(Lsn last) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);

  // Checkpoints.
  // Makes a checkpoint for a writer that cannot go on before there is room.
  absl::Status CheckpointHoldingWriters() ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Makes room so that the log takes a record of this size.
  absl::Status MakeLogRoom(Bytes record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  absl::StatusOr<store::Checkpointer::Begin> BeginCheckpoint() ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  absl::Status FinishCheckpoint(store::Checkpointer::Begin&& begun);

  // Background.
  absl::Status Recover();
  // What closing does once the threads have stopped.
  absl::Status End();
  // Starts both threads or none. Errors: kUnavailable if there can be no more threads.
  absl::Status StartThreads();
  void StopThreads();
  void StructureLoop();
  void WriterLoop();
  absl::Status WriteDirty();
  // The same, but makes a checkpoint if there is no space for it. Failing makes the store read-only.
  absl::Status WriteDirtyOrCheckpoint();
  bool CheckpointDue() const;
  // Whether the log would be full before the checkpoint that makes room in it is made. Then writers are slowed down,
  // instead of waiting for most of that time.
  bool LogIsAhead() const;
  // Does all that there is to do now, in this thread: when there are no background threads. If there is no space for
  // some work even after a checkpoint, it is left for later, after twice as many batches each time.
  absl::Status WorkInline() ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // After a clone, with background threads: does steps that these are behind with.
  absl::Status KeepUp() ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  absl::Status WorkAll();

  // The log's memory (log_memory.cc).
  // How much of the log may be in memory only. When that is nearly reached, something has to be done.
  Bytes LogMemory() const;
  // Takes what the log holds out of the cache's budget.
  void CountLogMemory() { core_->cache->SetOthers(log_->Held()); }
  // Whether the log's memory is to be relieved. With threads, this is so while writers still have half of it to fill.
  // Without, nobody fills it meanwhile.
  bool LogIsCrowded() const {
    return log_->Held() > (core_->options.background ? LogMemory() / 2 : LogMemory() * 3 / 4);
  }
  // The same, once that has been written, forgotten or taken over by a checkpoint.
  void LogIsRelieved();
  // Whether storing the dirty nodes spares the log more than it costs by itself, and is not much more to write than all
  // records since the last checkpoint. Then most of what it writes is new, and would be written anyway.
  bool StoringIsCheap() const;
  // Whether the changes since the log was relieved are large. Then they are on their way to leaves, and the nodes that
  // they have filled will stay as they are. Small ones gather in the same nodes again.
  bool ChangesAreLarge() const;
  enum class LogRelief : uint8_t { kForget, kWriteOut, kCheckpoint };
  LogRelief HowToRelieveLog() const;
  // Does that, except for a checkpoint, which is the caller's. Errors: kResourceExhausted if nodes find no space before
  // a checkpoint.
  absl::Status RelieveLog(LogRelief how);
  // Lets the log forget the records in memory, and stores the dirty nodes but for the newest. The next sync has to make
  // a checkpoint, but little of that is left to be done.
  absl::Status ForgetLog();
  // Writes what the log holds in memory, or forgets it if there is a gap before it. Failing makes the store read-only.
  absl::Status WriteOutLog();
  // Relieves the log's memory without threads.
  absl::Status KeepLogSmall() ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);

  // Giving back (give_back.cc). By the thread that makes checkpoints, while nobody writes:
  bool GivingBackDue() const;
  absl::Status GiveBack();
  // The same on request, beside other callers, and for a limited time: a checkpoint, and the part of the rest that is
  // found without reading.
  absl::Status GiveBackNow();
  // Sweeps over all that is on disk, as long as nobody writes, if space was short when something was erased, cloned or
  // renamed. Work that gives space back is done wherever it is. Erases move on that are too few to be worth a flush.
  bool SweepDue() const;
  absl::Status SweepForSpace();
  // Does, when closing, what is left of the background work after erases, clones and renames, for a limited time. After
  // erases of keys it does so only if space is short. An owner who comes only to remove something would give that work
  // no time otherwise, and its space would not come back.
  absl::Status Settle();
  // A step of that. False if nothing is left, or nothing for which there is space even after a checkpoint.
  absl::StatusOr<bool> StepToSettle(store::Structure::Last last);
  // Discards what of the extent is free, unless then less than the reserve would be free beside what a checkpoint may
  // need.
  absl::StatusOr<Bytes> TrimPortion(const layout::ExtentAddress& portion) ABSL_LOCKS_EXCLUDED(write_mutex_);
  // A step beside writers, but not beside one that makes room. What the step makes would take that room from the
  // writer.
  absl::StatusOr<bool> StepBesideWriters(store::Structure::Last last = {});

  std::unique_ptr<store::Core> core_;
  store::Fronts fronts_;
  store::Structure structure_;
  store::Checkpointer checkpointer_;
  std::unique_ptr<store::Log> log_;
  bool Logged() const { return core_->options.logging == Logging::kFull; }

  Mutex close_mutex_;  // one that closes at a time; taken before all others
  Mutex write_mutex_;
  Mutex checkpoint_mutex_ ABSL_ACQUIRED_AFTER(write_mutex_);
  uint64_t checkpoints_begun_ ABSL_GUARDED_BY(write_mutex_) = 0;
  store::FunctionNames functions_in_use_ ABSL_GUARDED_BY(write_mutex_);  // those of the catalog, and since then
  // Nothing was erased, cloned or renamed by ranges since MakeRoom looked at all that is on disk.
  bool swept_ ABSL_GUARDED_BY(write_mutex_) = false;
  // MakeRoom has ended before its sweep was over. The next one goes on with it. Since others have done something
  // meanwhile, it is open whether the sweep has looked at everything.
  bool sweep_goes_on_ ABSL_GUARDED_BY(write_mutex_) = false;
  // MakeRoom has found no more work. Deletes may use what is kept for it.
  bool only_deletes_left_ ABSL_GUARDED_BY(write_mutex_) = false;
  // How many batches WorkInline lets its work rest now, and the next time that there is no space for it.
  uint64_t rest_ ABSL_GUARDED_BY(write_mutex_) = 0;
  uint64_t next_rest_ ABSL_GUARDED_BY(write_mutex_) = 1;
  // What TallestStable found last, and in which state. The space of that state must not be kept.
  std::weak_ptr<const store::State> measured_ ABSL_GUARDED_BY(write_mutex_);
  dag::Height tallest_ ABSL_GUARDED_BY(write_mutex_) = 1;

  store::Signals signals_;
  std::atomic<bool> unsettled_{false};             // ranges were erased, cloned or renamed
  std::atomic<bool> erased_{false};                // keys were erased
  std::atomic<bool> unsettled_when_short_{false};  // either of that while space was short, and not swept since
  std::atomic<int64_t> last_checkpoint_ns_{0};
  std::atomic<uint64_t> log_used_before_{0};  // bytes, when the last checkpoint began
  // What had been written when the log's memory was last relieved.
  std::atomic<uint64_t> relieved_bytes_{0};
  std::atomic<uint64_t> relieved_changes_{0};
  std::atomic<int64_t> last_write_ns_{0};
  // How many checkpoints it takes until the space of what was erased is free. One brings the erases to where background
  // work finds them; the next one gives back what that work has taken out. Below 0 while one of them is made
  // (give_back.cc).
  std::atomic<int> freeing_{0};
  std::chrono::nanoseconds sweep_at_{0};          // not before; of the thread that makes checkpoints
  mutable std::atomic<bool> space_asked_{false};  // how much there is, since then
  // Set with writers held. So each batch is in the checkpoint with which closing ends, or is refused.
  std::atomic<bool> is_closed_{false};
  std::atomic<bool> has_closed_well_{false};
  const uint64_t forks_ = Forks();
  std::thread structure_thread_;
  std::thread writer_thread_;
};

}  // namespace betr
