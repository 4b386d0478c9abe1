// SPDX-License-Identifier: Apache-2.0
// A Mover gives what belongs to a renamed object its new keys: by range renames, or as earlier versions of BetrFS did
// it (copying_mover.h, zones.h). It serves one rename: Prepare, then AddTo in the transaction that moves the name, then
// Finish once that is committed. A mover that is destroyed in between leaves nothing behind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fs/place.h"

namespace betr::fs {

// Moves everything under `from` to `to`. Nothing is there, except what the transaction itself has removed before.
struct PrefixMove {
  TreeId tree;
  std::string from;
  std::string to;
};

class Mover {
 public:
  virtual ~Mover() = default;
  // Prepares the move. May remove what has the name `to`, in a transaction of its own, so that the slot is free.
  // Errors: the store's. After an error the rename must be given up.
  virtual absl::Status Prepare(Slot* to) = 0;
  // Adds what moves the keys, or completes the move of those that Prepare has copied.
  virtual void AddTo(WriteBatch* batch) = 0;
  // Errors: the store's. Even then the rename has happened.
  virtual absl::Status Finish() = 0;
};

// Makes the mover that the store's options ask for. `core` outlives it. Errors: the store's, and only if there are
// zones.
absl::StatusOr<std::unique_ptr<Mover>> NewMover(Core* core, std::vector<PrefixMove> moves);

}  // namespace betr::fs
