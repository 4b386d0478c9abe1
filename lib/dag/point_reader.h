// SPDX-License-Identifier: Apache-2.0
// Reads points in key order, one key's messages at a time. What blocks and message buffers have in common.
#pragma once

#include <cstddef>
#include <string_view>

#include "dag/bound.h"
#include "dag/message.h"

namespace betr::dag {

// Not thread-safe. Keeps alive what it reads.
class PointReader {
 public:
  virtual ~PointReader() = default;

  // To the first key at or after `bound`, or to the last one before it. O(log n).
  virtual void SeekForward(const Bound& bound) = 0;
  virtual void SeekBackward(const Bound& bound) = 0;
  virtual bool Valid() const = 0;
  // Requires: Valid().
  virtual void Next() = 0;
  virtual void Prev() = 0;
  // Valid until the next move.
  virtual std::string_view Key() const = 0;
  // The messages of this key, oldest first: at least one.
  virtual size_t GroupSize() const = 0;
  virtual Message At(size_t index) const = 0;
};

}  // namespace betr::dag
