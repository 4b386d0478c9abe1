// SPDX-License-Identifier: Apache-2.0
// A cursor over the keys in which two prefixes differ, as they were when it was made: those of a clone and its source,
// of a tree and its snapshot. What they share is passed over without being looked at.
#pragma once

#include <absl/status/status.h>

#include <optional>
#include <string_view>

#include "betr/bound.h"

namespace betr {

// Not thread-safe; keeps alive what it reads, as a Cursor does. It must not outlive the store.
// Use: for (cursor->Seek(Bound::At("")); cursor->Valid(); cursor->Next()) ...; then check status().
class DifferenceCursor {
 public:
  virtual ~DifferenceCursor() = default;

  // To the first key at or after `bound` that differs. Bounds and keys are taken without the prefixes. Cost: reads what
  // lies between in nodes that only one of the two has, and the nodes above.
  virtual void Seek(const Bound& bound) = 0;
  virtual bool Valid() const = 0;
  // Requires Valid().
  virtual void Next() = 0;
  // Views that are valid until the next move. One of the values may be missing: there the first prefix, or the second
  // one, has no such key.
  virtual std::string_view Key() const = 0;
  virtual std::optional<std::string_view> Before() const = 0;
  virtual std::optional<std::string_view> After() const = 0;
  // Why the cursor is not valid: ok behind the last difference; else as of a Cursor.
  virtual absl::Status status() const = 0;
};

}  // namespace betr
