// SPDX-License-Identifier: Apache-2.0
// How what belongs to a renamed object gets its new keys: by range renames, or as earlier versions of BetrFS did it
// (copying_mover.h, zones.h). A mover serves one rename: Prepare, then AddTo in the transaction that moves the
// name, then, once that is committed, Finish. Dropped in between it leaves nothing behind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fs/place.h"

namespace betr::fs {

// Everything under `from` is to be under `to`, where nothing is, but what the transaction itself has removed before.
struct PrefixMove {
  TreeId tree;
  std::string from;
  std::string to;
};

class Mover {
 public:
  virtual ~Mover() = default;
  // May remove what `to` is the name of, in a transaction of its own: the slot is free then. Errors: the store's; the
  // rename must then be given up.
  virtual absl::Status Prepare(Slot* to) = 0;
  // Adds what moves the keys, or completes the move of those that Prepare has copied.
  virtual void AddTo(WriteBatch* batch) = 0;
  // Errors: the store's. The rename has happened nevertheless.
  virtual absl::Status Finish() = 0;
};

// The one that the store's options ask for. `core` outlives it. Errors: the store's, and only if there are zones.
absl::StatusOr<std::unique_ptr<Mover>> NewMover(Core* core, std::vector<PrefixMove> moves);

}  // namespace betr::fs
