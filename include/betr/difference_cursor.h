// SPDX-License-Identifier: Apache-2.0
// A cursor over the keys in which two prefixes differ, as they were when the cursor was made: for example a clone and
// its source, or a tree and its snapshot. What the two share is skipped without being looked at.
#pragma once

#include <absl/status/status.h>

#include <optional>
#include <string_view>

#include "betr/bound.h"

namespace betr {

// Not thread-safe. Keeps alive what it reads, as a Cursor does. It must not outlive the store.
//
// Usage: for (cursor->Seek(Bound::At("")); cursor->Valid(); cursor->Next()) ...; then check status().
class DifferenceCursor {
 public:
  virtual ~DifferenceCursor() = default;

  // Moves to the first differing key at or after `bound`. Bounds and keys are given without the prefixes. Cost: reads
  // what it passes over in nodes that only one of the two has, and the nodes above those.
  virtual void Seek(const Bound& bound) = 0;
  virtual bool Valid() const = 0;
  // Moves to the next differing key. Requires Valid().
  virtual void Next() = 0;
  // Views that stay valid until the next move. Before() is missing if only the second prefix has the key, and After()
  // if only the first one has it.
  virtual std::string_view Key() const = 0;
  virtual std::optional<std::string_view> Before() const = 0;
  virtual std::optional<std::string_view> After() const = 0;
  // Says why the cursor is not valid. Ok after the last difference; otherwise as for a Cursor.
  virtual absl::Status status() const = 0;
};

}  // namespace betr
