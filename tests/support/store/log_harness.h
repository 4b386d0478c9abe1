// SPDX-License-Identifier: Apache-2.0
// A log on a device, driven at random, with a list of what was appended and what a crash may leave of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "device/recording_device.h"
#include "store/log/log.h"

namespace betr::store {

inline constexpr uint64_t kTestSalt = 0x5a17;

// What is known at one moment: after `events` events on the device.
struct LogMoment {
  size_t events = 0;
  Lsn durable;             // what Sync had promised
  Lsn last;                // appended
  Log::Checkpoint stored;  // what the superblock said
};

using LogRecords = std::vector<std::pair<Lsn, std::string>>;

// Opens a log and collects what it replays. That must be consecutive from `from.lsn` on.
absl::StatusOr<std::unique_ptr<Log>> OpenLog(BlockDevice& device, const LogArea& area, const Log::Checkpoint& from,
                                             LogRecords* replayed);

// How large records are: bytes, or up to a quarter of the log.
enum class RecordSizes { kSmall, kAny };

// One store's use of a log, over any number of crashes. Payloads depend only on seed, LSN and size. So after a crash
// the same bytes may be written again, and stale frames look as genuine as they can.
class LogDriver {
 public:
  LogDriver(const LogArea& area, RecordSizes sizes, uint64_t seed);

  // Opens the log on a device as a crash at `moment` left it, and checks what comes back: at least what was durable, at
  // most what had been appended, every record as it was.
  void Open(BlockDevice& device, const LogMoment& moment);
  // The same, but leaves the driver as it is. Requires: the crash was in the present life.
  std::unique_ptr<Log> Recover(BlockDevice& device, const LogMoment& moment) const;

  // Does one random step: append, sync, write out, begin or end a checkpoint.
  void Step(Random& random);
  void Append(Random& random);
  void Sync();
  // Makes a checkpoint in one step. The device is flushed as the write of a superblock would do it.
  void BeginCheckpoint();
  void EndCheckpoint();

  Log& log() { return *log_; }
  // Returns what is known now. The caller fills in `events`.
  LogMoment Now() const { return {0, durable_, last_, stored_}; }

 private:
  std::string Payload(Lsn lsn, size_t size) const;

  const LogArea area_;
  const RecordSizes sizes_;
  const uint64_t seed_;
  BlockDevice* device_ = nullptr;
  std::unique_ptr<Log> log_;
  std::vector<std::string> payloads_;  // of LSN 1, 2, ...
  Lsn durable_;
  Lsn last_;
  Log::Checkpoint stored_;
  Log::Checkpoint begun_;
  bool is_checkpoint_open_ = false;
};

// Returns the moment that a crash after `events` events hits: what was known before, and what may have been appended
// since. Requires: moments are in order, the first one at 0 events.
LogMoment MomentOfCrash(const std::vector<LogMoment>& moments, size_t events);

}  // namespace betr::store
