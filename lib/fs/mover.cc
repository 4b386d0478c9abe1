// SPDX-License-Identifier: Apache-2.0
#include "fs/mover.h"

#include <utility>

#include "base/status.h"
#include "fs/copying_mover.h"
#include "fs/zones.h"

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

absl::StatusOr<std::unique_ptr<Mover>> NewMover(Core* core, std::vector<PrefixMove> moves) {
  const Experiments& experiments = core->store().Options().experiments;
  bool by_copy = experiments.rename_by_copy;
  if (!by_copy && experiments.zone_size) {
    BETR_ASSIGN_OR_RETURN(by_copy, FitIntoZone(*core, *experiments.zone_size, moves));
  }
  if (by_copy) return std::make_unique<CopyingMover>(core, std::move(moves));
  return std::make_unique<RangeMover>(std::move(moves));
}

}  // namespace betr::fs
