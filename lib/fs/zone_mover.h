// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): what renames cost with zones, as in BetrFS 0.2 and 0.3 (Yuan et al. 2016). A zone there
// is a subtree of about a target size with a key prefix of its own: renaming its root changes a pointer; what is
// smaller lies in the zone of its parent and is copied.
//
// Here what is larger than a zone is renamed by range, which stands for the change of a pointer. Not here: keys that
// are relative to zones, and so what zones cost scans.
#pragma once

#include <memory>
#include <vector>

#include "fs/mover.h"

namespace betr::fs {

class ZoneMover final : public Mover {
 public:
  // `larger`, `smaller`: movers of the same `moves`.
  ZoneMover(Core* core, Bytes zone_size, std::vector<PrefixMove> moves, std::unique_ptr<Mover> larger,
            std::unique_ptr<Mover> smaller);

  // Looks how much is to be moved: O(height) nodes are read.
  absl::Status Prepare(Slot* to) override;
  void AddTo(WriteBatch* batch) override;
  absl::Status Finish() override;

 private:
  absl::StatusOr<Bytes> Size() const;

  Core& core_;
  const Bytes zone_size_;
  const std::vector<PrefixMove> moves_;
  const std::unique_ptr<Mover> larger_;
  const std::unique_ptr<Mover> smaller_;
  Mover* mover_ = nullptr;  // the one that Prepare has chosen
};

}  // namespace betr::fs
