// SPDX-License-Identifier: Apache-2.0
// What the `stored` of a dag::TablePage points to: private to the writer and the reader of tables.
#pragma once

#include "dag/table.h"
#include "layout/extent.h"
#include "layout/space_map.h"

namespace betr::layout {

struct StoredPage {
  ExtentRef extent;
  uint64_t checksum = 0;

  StructureAddress Address() const { return {extent->address(), checksum}; }
};

// Null if the page is not stored.
inline const StoredPage* StoredPageOf(const dag::TablePage& page) {
  return static_cast<const StoredPage*>(page.stored.get());
}

}  // namespace betr::layout
