// SPDX-License-Identifier: Apache-2.0
// A cursor walks the keys of one tree in order, as they were when it was made.
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "betr/bound.h"

namespace betr {

// Not thread-safe; any number of cursors may run beside each other and beside writers. While it lives it keeps the
// state that it reads: memory and space that writers have freed since come back when it goes. It must not
// outlive the store.
// Use: for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ...; then check status().
class Cursor {
 public:
  virtual ~Cursor() = default;

  // To the first key of the bounds, to the last; to the first key at or after `bound`, to the last before it. Erases
  // that have not reached what they erase are passed one after the other: who takes the first key and erases it, again
  // and again, should seek to behind the last one, or erase all that was taken by one range from time to time.
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  virtual void Seek(const Bound& bound) = 0;
  virtual void SeekBefore(const Bound& bound) = 0;
  virtual bool Valid() const = 0;
  // Require Valid(). Amortised cost of a step: 1/entries-per-basement reads.
  virtual void Next() = 0;
  virtual void Prev() = 0;
  // Views that are valid until the next move.
  virtual std::string_view Key() const = 0;
  virtual std::string_view Value() const = 0;
  // Why the cursor is not valid: ok at the end of the bounds; else the error of the device, kDataLoss, or
  // kFailedPrecondition at a key whose value depends on an unknown upsert function: a seek gets beyond it.
  virtual absl::Status status() const = 0;
};

}  // namespace betr
