// SPDX-License-Identifier: Apache-2.0
// Images of a few MiB with one tree, "t". For tests of what happens to an image between two openings of its store.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "betr/store.h"
#include "store/borrowed_device.h"
#include "support/must.h"

namespace betr::test {

inline FormatOptions SmallFormat() {
  FormatOptions format;
  format.node_size = KiB(8);
  format.basement_size = KiB(1);
  format.log_size = KiB(256);
  return format;
}

// Opens a store without threads, so that each run is the same. `device` must outlive it.
inline std::unique_ptr<Store> OpenOn(BlockDevice& device) {
  StoreOptions options;
  options.background = false;
  return Must(Store::Open(std::make_unique<store::BorrowedDevice>(device), options));
}

using Content = std::map<std::string, std::string>;

// Returns the content of the tree "t".
inline Content ContentOf(const Store& store) {
  Content content;
  const auto cursor = Must(store.NewCursor(Must(store.FindTree("t"))));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) content.emplace(cursor->Key(), cursor->Value());
  Must(cursor->status());
  return content;
}

}  // namespace betr::test
