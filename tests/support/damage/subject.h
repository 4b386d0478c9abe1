// SPDX-License-Identifier: Apache-2.0
// Small images to damage, with everything that an image can hold, and what must be read from them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "betr/store.h"
#include "device/memory_device.h"

namespace betr::test {

// What a store holds: name of a tree -> its entries.
using Contents = std::map<std::string, std::map<std::string, std::string>>;

struct Subject {
  std::string name;
  Bytes size{0};
  PageMap image;
  // The image at earlier moments, oldest first: where stale structures come from.
  std::vector<PageMap> history;
  // What reading may return, oldest first. Only damage to the log excuses any but the last.
  std::vector<Contents> states;
};

// Trees, a snapshot, clones, buffered messages; closed cleanly.
Subject ClosedStore();
// The same, with batches in the log that are in no checkpoint.
Subject CrashedStore();
// Filled without a log, and not closed.
Subject BulkStore();
// Directories, files, links, attributes, a clone.
Subject FileSystemImage();
// Nodes of several units and a catalog of two, none of them scattered (scattered.h).
Subject WideStore();

// Returns everything that a store holds.
Contents ReadContents(const Store& store);
// Returns the options with which tests open a subject.
StoreOptions SubjectOptions(bool read_only);
// Opens a store on a device that must outlive it.
absl::StatusOr<std::unique_ptr<Store>> OpenSubject(MemoryDevice& device, bool read_only);

}  // namespace betr::test
