// SPDX-License-Identifier: Apache-2.0
#include "fs/mover.h"

#include <utility>

#include "fs/copying_mover.h"

namespace betr::fs {
namespace {

class RangeMover final : public Mover {
 public:
  explicit RangeMover(std::vector<PrefixMove> moves) : moves_(std::move(moves)) {}

  absl::Status Prepare(Slot* /*to*/) override { return absl::OkStatus(); }
  void AddTo(WriteBatch* batch) override {
    for (const PrefixMove& move : moves_) batch->RenamePrefix(move.tree, move.from, move.tree, move.to);
  }
  absl::Status Finish() override { return absl::OkStatus(); }

 private:
  const std::vector<PrefixMove> moves_;
};

}  // namespace

std::unique_ptr<Mover> NewMover(Core* core, std::vector<PrefixMove> moves) {
  if (core->store().Options().experiments.rename_by_copy) {
    return std::make_unique<CopyingMover>(core, std::move(moves));
  }
  return std::make_unique<RangeMover>(std::move(moves));
}

}  // namespace betr::fs
