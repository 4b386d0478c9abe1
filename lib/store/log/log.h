// SPDX-License-Identifier: Apache-2.0
// The redo log: numbered records that survive a crash once Sync has returned. It knows nothing of what is in them. The
// format is in log_format.h, the reasons are in docs/log.md.
//
//   frames:   free | needed until a checkpoint | being written | free          in memory: held | open
//                  ^ Free()                    ^ Mark()
//
// 1. Records are appended with consecutive LSNs. On disk they are in this order. Only records that a checkpoint has may
//    be missing there.
// 2. A block is written once between two Frees that cover it. So a torn write can only hurt what is not yet durable.
// 3. A record counts as durable only after a flush that began after its write had completed has returned ok. After the
//    first failed write or flush nothing becomes durable any more, and Append, Sync and WriteOut return the error.
// 4. At most one thread has the I/O turn. All writes and flushes happen in it, without the mutex, while others append.
// 5. The first turn after opening overwrites the header of a torn frame, if there is one at the end of the log, and
//    flushes before it writes. So what is stored is then what recovery saw. No block that was hidden by a cache can
//    come back and follow a frame of ours. No torn frame can become whole by parts of the one written over it. Before
//    that flush it writes the frames that were replayed once more, as they are. A process whose flush failed may have
//    left them in the system's memory only, and a system may take for written what it could not write.
// 6. Records stay in memory, in frames that have no place yet, until somebody writes them out or syncs. If a checkpoint
//    has them before that, they are never written. A frame has at most kFrameTarget bytes, or a single record.
// 7. What nobody has synced may be forgotten instead. That leaves a gap: nothing behind it is written before a
//    checkpoint has all that was forgotten. So a replay never finds records without those before them.
//
// Threads: any. Calls of Append must follow each other, since the caller's order of batches is the order of LSNs. All
// other calls may overlap. Without other threads, the writes depend only on the calls.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/units.h"
#include "device/block_device.h"
#include "store/log/log_format.h"

namespace betr::store {

struct LogCounters {
  uint64_t appends = 0;  // records appended
  uint64_t syncs = 0;    // calls of Sync
  uint64_t frames = 0;   // frames written
  uint64_t wraps = 0;    // times that the log reached its end and went on at its beginning
  uint64_t flushes = 0;  // of the device
  Bytes bytes{0};        // written to the device
};

class Log {
 public:
  // Called with each record in turn. An error ends the opening.
  using Replay = std::function<absl::Status(Lsn lsn, std::string_view payload)>;

  // What a checkpoint stores of the log.
  struct Checkpoint {
    LogPosition position;  // from Mark()
    Lsn lsn;               // everything up to here is in the checkpoint
    uint64_t opening = 0;  // if not 0: the log ended cleanly at the position, after this many openings or fewer
  };

  // Makes an area hold no frame of this salt, whatever it held. Not needed if the salt is new. Reads the whole area.
  // Does not flush. A new log begins at Checkpoint{}.
  static absl::Status Format(BlockDevice& device, const LogArea& area, uint64_t salt);

  // Replays the records after `from.lsn` that lie at or behind `from.position`, and prepares to append behind them.
  // Writes nothing, so the device may be open for reading only as long as nothing is appended. The device must outlive
  // the log.
  // Errors: kInvalidArgument (the area), kDataLoss (damage; what was replayed is a true beginning), those of the device
  // and of `replay`. Cost: that of LogScanner; after a clean end 1 MiB is read.
  static absl::StatusOr<std::unique_ptr<Log>> Open(BlockDevice& device, const LogArea& area, uint64_t salt,
                                                   const Checkpoint& from, const Replay& replay);

  // Returns how far the log can be replayed: the number of the first block behind the last frame that is sound and all
  // of whose records `replay` takes. Writes nothing. Errors: those of Open, except for kDataLoss and those of `replay`.
  static absl::StatusOr<uint64_t> SoundEnd(BlockDevice& device, const LogArea& area, uint64_t salt,
                                           const Checkpoint& from, const Replay& replay);

  // Sets what is called once, in a turn, before anything is written. If it fails, nothing is written. It serves to
  // revoke the statement that the log has ended. Call this before other threads use the log.
  void BeforeFirstWrite(std::function<absl::Status()> prepare) { prepare_ = std::move(prepare); }

  // Whether opening found a frame at the end that a crash has torn. Requires: nothing was written since.
  bool EndsTorn() const;

  // The number of this opening of the log. Its frames carry it.
  uint64_t opening() const { return opening_; }

  // Does not write what was not synced.
  ~Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Takes a record into memory. It becomes durable with a Sync. After an error it was not taken. Does no I/O.
  // Errors: kInvalidArgument (larger than MaxPayload), the error that made the log fail, kResourceExhausted (the area
  // is full). In the last case make a checkpoint, call Free, and try again; that succeeds unless a write of another
  // thread was under way. Requires: lsn == LastLsn().Next().
  absl::Status Append(Lsn lsn, std::string_view payload);

  // Makes everything durable that was appended before the call, and returns an LSN up to which everything is durable.
  // Concurrent calls share writes and flushes, and all frames share one flush. Returns at once if there is nothing to
  // do. Errors: the error that made the log fail; kFailedPrecondition, while status() is ok: there is a gap, so only a
  // checkpoint makes that durable.
  absl::StatusOr<Lsn> Sync();

  // Writes what was appended before the call, without making it durable. This bounds memory, and the work of the next
  // Sync. Errors: those of Sync.
  absl::Status WriteOut();

  // Drops the frames in memory that have no record after `last` and are not being written. Does no I/O.
  void Forget(Lsn last);
  // Whether something was forgotten that no checkpoint has, and how much that was.
  bool HasGap() const { return Forgotten() > Bytes{0}; }
  Bytes Forgotten() const;

  // Returns the position that a checkpoint of the present state has to store. Call it at or before the moment whose LSN
  // the checkpoint stores, never later. Does not wait.
  LogPosition Mark() const;

  // Takes note that a checkpoint with this position and LSN has become durable. What lies before the position is no
  // longer needed, records up to the LSN are durable, and frames in memory without newer records are dropped. Ignored
  // if a newer checkpoint was noted before. Requires: the position is from Mark(), and lsn <= LastLsn().
  void Free(const Checkpoint& stored);

  // The last record taken or replayed, at least Checkpoint::lsn; the last one known to be durable.
  Lsn LastLsn() const;
  Lsn DurableLsn() const;

  // What cannot be overwritten: the blocks behind the last Free, and those that the frames in memory will take.
  Bytes Used() const;
  // The frames in memory that nobody is writing yet.
  Bytes Held() const;
  Bytes Size() const { return area_.size; }
  Bytes MaxPayload() const { return MaxLogPayload(area_); }

  // Ok, or the error that made the log fail.
  absl::Status status() const;
  LogCounters Counters() const;

 private:
  // Records that are written together.
  struct Frame {
    std::string bytes;  // room for the header, then the records
    uint32_t records = 0;
    Lsn first_lsn;
    Lsn last_lsn;

    uint64_t RecordBytes() const { return bytes.empty() ? 0 : bytes.size() - FrameHeader::kSize; }
  };

  // What one holder of the turn does, in this order; the frame stands between the flushes.
  struct Turn {
    uint64_t rewrite_from = 0;  // sequence: what was replayed from there on is written once more
    bool erase_first = false;
    bool flush_first = false;
    bool flush_last = false;
    FrameHeader header;  // without checksums; counts no records if there is nothing to write
    Frame frame;
  };

  // What opening finds.
  struct Recovered {
    LogPosition end;
    uint64_t opening;
    bool is_torn;
    Lsn last_lsn;
  };

  Log(BlockDevice& device, const LogArea& area, uint64_t salt, const Checkpoint& from, const Recovered& recovered);

  static absl::StatusOr<Recovered> Recover(BlockDevice& device, const LogArea& area, uint64_t salt,
                                           const Checkpoint& from, const Replay& replay);

  enum class Until { kWritten, kDurable };
  // Takes a turn, or waits for that of others, until the record has got so far or the log has failed.
  absl::Status Reach(Until until, Lsn lsn);
  bool Reached(Until until, Lsn lsn) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the oldest frame; flushes at the end if that makes the record as durable as is wanted.
  Turn BeginTurn(Until until, Lsn lsn) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status DoTurn(Turn* turn);
  // Leaves the other sectors of the block as they are, so that this write cannot make the frame whole either.
  absl::Status EraseHeader(uint64_t sequence);
  absl::Status Rewrite(uint64_t begin, uint64_t end);
  // In a turn only: makes all that has been written durable.
  absl::Status Flush();
  absl::Status WriteFrame(Turn* turn);
  void EndTurn(Turn turn, const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // The oldest frame, which is not held any more.
  Frame TakeFrame() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes a frame the open one.
  void AddFrame(Lsn first_lsn) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t UsedBlocks() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool GapIsOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return forgotten_blocks_ > 0; }

  BlockDevice& device_;
  const LogArea area_;
  const uint64_t salt_;
  const uint64_t opening_;
  std::function<absl::Status()> prepare_;  // of the one who has the turn

  mutable Mutex mutex_;
  Condition turn_over_;
  bool turn_taken_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);

  // What was appended and is in no turn yet, oldest first; the last frame is open for more.
  std::deque<Frame> held_ ABSL_GUARDED_BY(mutex_);
  uint64_t held_blocks_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string spare_ ABSL_GUARDED_BY(mutex_);  // empty, with the memory of the last frame

  // free_ <= durable_ <= next_.sequence <= free_ + blocks of the area; durable_lsn_ <= written_lsn_ <= last_lsn_.
  // An LSN counts as durable, or written, also if a checkpoint has it.
  uint64_t free_ ABSL_GUARDED_BY(mutex_);             // sequence
  uint64_t durable_ ABSL_GUARDED_BY(mutex_);          // sequence; what lies before is durable or not needed any more
  LogPosition next_ ABSL_GUARDED_BY(mutex_);          // behind the last frame that has been written
  uint64_t turn_blocks_ ABSL_GUARDED_BY(mutex_) = 0;  // of the frame that is being written
  bool is_torn_ ABSL_GUARDED_BY(mutex_);              // there is the header of a torn frame at `next_`
  bool is_settled_ ABSL_GUARDED_BY(mutex_) = false;   // there was a flush since opening
  Lsn durable_lsn_ ABSL_GUARDED_BY(mutex_);
  Lsn written_lsn_ ABSL_GUARDED_BY(mutex_);
  Lsn last_lsn_ ABSL_GUARDED_BY(mutex_);
  Lsn forgotten_lsn_ ABSL_GUARDED_BY(mutex_);              // the last record that was forgotten
  uint64_t forgotten_blocks_ ABSL_GUARDED_BY(mutex_) = 0;  // 0 once a checkpoint has that record
  LogCounters counters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::store
