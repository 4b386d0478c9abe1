// SPDX-License-Identifier: Apache-2.0
// A cursor walks the keys of one tree in order, as they were when the cursor was made.
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "betr/bound.h"

namespace betr {

// A cursor is not thread-safe. Any number of cursors may run concurrently with each other and with writers. A cursor
// keeps the state that it reads alive: memory and space freed since by writers are reclaimed only after it is
// destroyed. It must not outlive the store.
//
// Usage: for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ...; then check status().
class Cursor {
 public:
  virtual ~Cursor() = default;

  // Move to the first or the last key within the bounds.
  //
  // Seeks pass pending erases, which have not reached what they erase yet, one by one. A queue that takes the first key
  // and erases it, again and again, should therefore seek to just after the last key that it took. Or it should, from
  // time to time, erase everything that it took as one range.
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // Moves to the first key at or after `bound`.
  virtual void Seek(const Bound& bound) = 0;
  // Moves to the last key before `bound`.
  virtual void SeekBefore(const Bound& bound) = 0;
  // Whether the cursor is on a key.
  virtual bool Valid() const = 0;
  // Move to the next or the previous key. Require Valid(). Amortised cost: 1/entries-per-basement reads.
  virtual void Next() = 0;
  virtual void Prev() = 0;
  // Views that stay valid until the next move.
  virtual std::string_view Key() const = 0;
  virtual std::string_view Value() const = 0;
  // Says why the cursor is not valid. Ok at the end of the bounds. Otherwise an error of the device, kDataLoss, or
  // kFailedPrecondition at a key whose value depends on an unknown upsert function; a seek gets past such a key.
  virtual absl::Status status() const = 0;
};

}  // namespace betr
