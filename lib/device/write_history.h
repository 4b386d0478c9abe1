// SPDX-License-Identifier: Apache-2.0
// What was written to a device, in order, and every image that a crash could have left of it. recording_device.h
// records it and says what is an event.
//
// The rule of block_device.h: what was written before the last flush is there. Of the rest, any sectors may be there,
// in any order. A CrashPlan names one such outcome, so it can be printed, kept, and repeated.
//
// Cost: every event keeps its pages (shared with the images) and every flush a PageMap copy. An image costs a
// PageMap copy and the pages of the plan's fragments: some microseconds for images of some megabytes.
// Threads: any; images are independent of the history and of each other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/random.h"
#include "device/memory_device.h"
#include "device/page_map.h"

namespace betr {

// One outcome of a crash.
struct CrashPlan {
  // A part of an event's bytes that reached storage: whole sectors.
  struct Fragment {
    size_t event = 0;
    Bytes from;  // within the event's bytes
    Bytes length;

    friend bool operator==(const Fragment&, const Fragment&) = default;
  };

  size_t events = 0;                // the crash came after this many events
  std::vector<Fragment> fragments;  // of events since the last flush before that, in the order of arrival

  friend bool operator==(const CrashPlan&, const CrashPlan&) = default;
};

// "after 17 events: 12[0+4096] 15[0+512]".
std::string FormatPlan(const CrashPlan& plan);

// The same plan with only the first `kept` bytes of its last fragment. Requires: whole sectors.
CrashPlan TearLast(CrashPlan plan, Bytes kept);

class WriteHistory {
 public:
  enum class Kind { kWrite, kDiscard, kFlush };
  struct Event {
    Kind kind;
    Bytes offset;
    Bytes length;
  };

  // `base`: the contents of the device at the beginning.
  WriteHistory(Bytes size, PageMap base);

  // Adds an event. Writes and discards of nothing are not events. Requires: as BlockDevice, and within the device.
  void AppendWrite(Bytes offset, std::string_view data);
  void AppendDiscard(Bytes offset, Bytes length);
  void AppendFlush();

  // How many events there are. Events are numbered from 0.
  size_t EventCount() const;
  Event GetEvent(size_t number) const;

  // The events among the first `events` that come after the last flush among them: what a crash may lose.
  std::vector<size_t> Unflushed(size_t events) const;

  // Everything arrived. Requires for all plans: events <= EventCount().
  CrashPlan PrefixPlan(size_t events) const;
  // Of the unflushed events, those arrived, in order, whose bit is set. The lowest bit is that of the oldest. Requires:
  // at most 64 unflushed events.
  CrashPlan SubsetPlan(size_t events, uint64_t mask) const;
  // Any of them arrived, whole or block by block, in any order; the last one may be torn at a sector.
  CrashPlan RandomPlan(size_t events, Random& random) const;

  // Any sectors of any of them arrived; of the others the old contents are still there.
  CrashPlan SectorPlan(size_t events, Random& random) const;

  // The device as the crash left it. Discards that arrived left zeros.
  // Requires: the plan's fragments lie in unflushed events of the plan.
  std::unique_ptr<MemoryDevice> CrashImage(const CrashPlan& plan) const;

 private:
  struct Record {
    Event event;
    std::vector<PageMap::PagePointer> pages;  // of a write
  };
  // The contents that a flush made durable.
  struct Snapshot {
    size_t events;  // the first `events` events are in it
    PageMap pages;
  };

  const Snapshot& LastFlush(size_t events) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Apply(const CrashPlan::Fragment& fragment, PageMap* pages) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Bytes size_;
  mutable Mutex mutex_;
  std::vector<Record> records_ ABSL_GUARDED_BY(mutex_);
  std::vector<Snapshot> snapshots_ ABSL_GUARDED_BY(mutex_);  // by events; the first is the base
  PageMap current_ ABSL_GUARDED_BY(mutex_);                  // all events applied
};

}  // namespace betr
