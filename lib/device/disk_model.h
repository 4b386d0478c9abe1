// SPDX-License-Identifier: Apache-2.0
// Says how long a disk with a platter would take. This is a model of time only, which moves no bytes. disk_device.h
// puts it in front of a device.
//
// 1. A request that begins behind the end of the one before, at most a small gap away, goes on without positioning. Any
//    other request costs a seek and a rotation. The seek is least_seek + k sqrt(distance), where k is such that the
//    average over the disk is average_seek; the disk is as large as the device. The rotation is uniform in 0 .. one
//    revolution (seeded).
// 2. Writes go to a cache and cost their caller a command, until the cache is full. The disk does them in the order of
//    the elevator (C-LOOK): when there is no room, when it is idle, or when a flush waits for them. Writes that touch
//    are one request.
// 3. A flush waits for all writes before it. The platter turns meanwhile. So a write that then goes on where the last
//    one ended has missed its place. It waits until that comes round, one revolution after it was there.
// 4. A disk reads all that passes under its head. While it waits for a read's place to come round, that is what lies
//    before it. After a read it reads on as long as it has nothing else to do, up to a segment ahead of what was asked
//    for. What lies in one of the last segments is read without the platter. What lies ahead of the head in the newest
//    one is waited for.
//
// Time runs on an axis of its own. It goes on by what requests take, and between requests by what the caller's clock
// says. So an idle disk reads ahead and empties its cache. Used by one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/random.h"
#include "base/units.h"
#include "device/disk_profile.h"

namespace betr {

struct DiskStats {
  uint64_t reads = 0;
  uint64_t read_hits = 0;  // without the platter
  uint64_t writes = 0;     // that callers made
  uint64_t flushes = 0;
  uint64_t requests = 0;     // of reading and writing that reached the platter
  uint64_t seeks = 0;        // of these: with a seek
  uint64_t revolutions = 0;  // of these: went on, but waited for the platter to come round
  Bytes read_bytes{0};
  Bytes written_bytes{0};
  std::chrono::nanoseconds busy{0};    // head moving, platter turning under it, bytes passing
  std::chrono::nanoseconds waited{0};  // that callers had to wait
};

// What happened between two moments.
DiskStats operator-(const DiskStats& later, const DiskStats& earlier);

class DiskModel {
 public:
  // `size`: of the device. The seed decides how the platter stands when a seek ends.
  DiskModel(const DiskProfile& profile, Bytes size, uint64_t seed = 1);

  // Each returns how long the caller waits. `idle` is how long the caller did something else since the last of them
  // returned.
  std::chrono::nanoseconds Read(Bytes offset, Bytes length, std::chrono::nanoseconds idle);
  std::chrono::nanoseconds Write(Bytes offset, Bytes length, std::chrono::nanoseconds idle);
  std::chrono::nanoseconds Flush(std::chrono::nanoseconds idle);

  const DiskStats& stats() const { return stats_; }

 private:
  struct Segment {
    uint64_t begin = 0;
    uint64_t end = 0;  // what is in the cache ends here
  };

  // Lets the disk work until the caller comes back.
  void PassIdle(std::chrono::nanoseconds idle);
  void ReadAhead(std::chrono::nanoseconds time);
  // Does the next write of the elevator.
  void DoWrite();
  // Brings the head to `offset`. Returns how long that takes. Counts, and sets passed_.
  std::chrono::nanoseconds Position(uint64_t offset);
  std::chrono::nanoseconds Transfer(uint64_t bytes) const;
  // How long until the head, which has not moved since the last transfer, is over `offset`. Counts.
  std::chrono::nanoseconds TurnTo(uint64_t offset);
  // Lets the disk work for `duration` from when it is free. A caller that came at now_ waits for it.
  void Work(std::chrono::nanoseconds duration);
  std::chrono::nanoseconds Return(std::chrono::nanoseconds done);
  bool IsInSegment(uint64_t offset, uint64_t end);
  bool IsInWriteCache(uint64_t offset, uint64_t end) const;
  void AddPending(uint64_t offset, uint64_t length);

  const DiskProfile profile_;
  const double size_;
  Random random_;
  DiskStats stats_;
  std::chrono::nanoseconds now_{0};          // of the caller
  std::chrono::nanoseconds free_{0};         // when the disk has done what it does
  uint64_t head_ = 0;                        // where the last transfer ended
  uint64_t passed_ = 0;                      // bytes that turned by before the place that was last sought
  uint64_t wanted_ = 0;                      // where the last read of the newest segment ended
  bool reads_on_ = false;                    // the last transfer was a read
  bool missed_ = false;                      // a flush ended since the last transfer
  std::chrono::nanoseconds transferred_{0};  // when the last write's transfer ended
  std::deque<Segment> segments_;             // the newest last
  std::map<uint64_t, uint64_t> pending_;     // writes in the cache: where they begin, how long they are
  uint64_t pending_bytes_ = 0;
};

}  // namespace betr
