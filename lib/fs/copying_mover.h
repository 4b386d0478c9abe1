// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): renames as in BetrFS 0.1 (Jannen et al. 2015). Every key is read, put under its new
// name, and erased under its old one.
//
// What fits into a batch becomes part of the rename's own. If there is more, it is copied in batches before it and
// erased in batches after it. A record (pending_erases.h) names what is to be erased if the work ends in between:
//
//   record: the new prefixes   copies...   rename, record: the old prefixes   erases...   no record
//
// So a crash leaves the rename done or not done, and the next mount erases the rest. There is one exception. An object
// too large for a batch that replaces another one needs a free place, so the other one is removed first. A crash or an
// error may leave it removed and the rename not done.
#pragma once

#include <vector>

#include "fs/mover.h"

namespace betr::fs {

class CopyingMover final : public Mover {
 public:
  CopyingMover(Core* core, std::vector<PrefixMove> moves);
  ~CopyingMover() override;
  CopyingMover(const CopyingMover&) = delete;
  CopyingMover& operator=(const CopyingMover&) = delete;

  absl::Status Prepare(Slot* to) override;
  void AddTo(WriteBatch* batch) override;
  absl::Status Finish() override;

 private:
  // Fills `erases_` and `puts_` with everything, if that fits into a batch.
  absl::StatusOr<bool> ReadAll();
  absl::Status CopyAll();

  Core& core_;
  const std::vector<PrefixMove> moves_;
  WriteBatch erases_;    // of the old keys; empty if copied_
  WriteBatch puts_;      // of the new keys; empty if copied_
  bool copied_ = false;  // what is under the new prefixes is to be erased if the rename does not happen
};

}  // namespace betr::fs
