// SPDX-License-Identifier: Apache-2.0
#include "store/headroom.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "layout/extent.h"

namespace betr::store {
namespace {

constexpr uint64_t kTreeBytes = 320;   // of a tree or a function in the catalog, at most
constexpr uint32_t kNewRootPiece = 2;  // of a root above two halves
constexpr uint64_t kFreshPages = 4;    // that the table may grow by in one change
constexpr uint64_t kReserveNodes = 8;  // rewritten by a flush that splits and merges

uint32_t Piece(uint64_t units) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(units, 1, std::numeric_limits<uint32_t>::max()));
}

uint32_t NodePiece(Bytes node_size) { return Piece(layout::UnitsFor(node_size) + 1); }

// The space of a tree's root with `bytes` of messages more.
uint32_t RootPiece(const State& state, TreeId id, Bytes bytes) {
  uint64_t units = layout::UnitsFor(bytes) + 1;
  if (const auto tree = state.trees.find(id); tree != state.trees.end()) {
    const dag::NodeRecord* root = state.table.Find(tree->second.root);
    const auto* version = root == nullptr ? nullptr : dynamic_cast<const NodeVersion*>(root->slot.get());
    units += version == nullptr ? 0 : version->UnitsBound();
  }
  return Piece(units);
}

}  // namespace

Bytes WorkReserve(Bytes area, Bytes node_size) {
  const Bytes nodes = layout::UnitBytes(NodePiece(node_size)) * kReserveNodes;
  return std::min(area / 8, std::max(area / 64, nodes));
}

absl::Status CheckHeadroom(const Core& core, const Fronts& fronts, const State& state, layout::Privilege privilege,
                           const std::map<TreeId, Bytes>& more) {
  layout::Pieces pieces;
  pieces[1] = state.table.Pages() + kFreshPages;
  const uint64_t catalog = (state.trees.size() + core.options.functions.All().size() + 1) * kTreeBytes;
  ++pieces[Piece(layout::UnitsFor({catalog}))];
  std::map<TreeId, Bytes> buffered = fronts.Sizes();
  for (const auto& [tree, bytes] : more) {
    buffered[tree] += bytes;
  }
  for (const auto& [tree, bytes] : buffered) {
    pieces[RootPiece(state, tree, bytes)] += 2;  // the root may split; both halves may show the same blocks
    ++pieces[kNewRootPiece];
  }
  if (privilege == layout::Privilege::kNormal) {
    const uint32_t piece = NodePiece(core.superblock.node_size);
    pieces[piece] += layout::UnitsFor(core.space->Figures().reserve) / piece;
  }
  if (core.space->Fits(pieces)) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(fmt::format("{}: no space left", core.device->Name()));
}

}  // namespace betr::store
