// SPDX-License-Identifier: Apache-2.0
#include "fs/mover.h"

#include <utility>

#include "fs/copying_mover.h"
#include "fs/zone_mover.h"

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
  const Experiments& experiments = core->store().Options().experiments;
  if (experiments.rename_by_copy) return std::make_unique<CopyingMover>(core, std::move(moves));
  auto by_range = std::make_unique<RangeMover>(moves);
  if (!experiments.zone_size) return by_range;
  auto by_copy = std::make_unique<CopyingMover>(core, moves);
  return std::make_unique<ZoneMover>(core, *experiments.zone_size, std::move(moves), std::move(by_range),
                                     std::move(by_copy));
}

}  // namespace betr::fs
