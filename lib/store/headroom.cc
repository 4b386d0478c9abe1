// SPDX-License-Identifier: Apache-2.0
#include "store/headroom.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "layout/extent.h"
#include "layout/extent_map.h"
#include "layout/format_options.h"

namespace betr::store {
namespace {

using layout::SpaceMap;
using layout::UnitsFor;

constexpr Bytes kTreeBytes{80};         // of a tree in the catalog, without its name; of a function, with its name
constexpr Bytes kNewTree{320};          // of one more tree, with a name of the greatest length
constexpr uint64_t kNewRootUnits = 2;   // of a new root above two halves
constexpr uint64_t kFreshPages = 4;     // that the table may grow by in one change
constexpr uint64_t kReserveNodes = 16;  // twice what a flush that splits and merges rewrites
constexpr uint64_t kUsualShare = 64;    // the usual reserve is this part of the space
constexpr Bytes kSmallNode = KiB(64);   // nodes below this size are small
constexpr size_t kBatchTrees = 2;       // trees that a batch writes to: a file system has two
constexpr Bytes kEntry = KiB(4);        // assumed size of a buffered entry; it matters with small nodes
constexpr Bytes kSmallEntry{256};       // assumed size of an entry that waits in an interior node
constexpr Bytes kEntryOverhead{16};     // its sizes, kind and place in a block

uint64_t WithMap(uint64_t units) {
  return SpaceMap::UnitsWithMap(static_cast<uint32_t>(std::min<uint64_t>(units, layout::kMaxExtentUnits)));
}

// Returns the units for this many bytes of messages in a root that may split. Both halves may show the same blocks.
uint64_t MessageUnits(Bytes bytes) { return 2 * WithMap(UnitsFor(bytes) + 1); }

// Returns at least the units for so many trees that have this many bytes together. Includes what each of them rounds
// up.
uint64_t MessageUnitsAtMost(uint64_t trees, Bytes bytes) {
  const uint64_t units = UnitsFor(bytes) + 2 * trees;
  return 2 * (units + units / layout::kPiecesPerPage + 1 + trees);
}

// Returns the units for a tree's root that gets `bytes` more of messages.
uint64_t RootUnits(const State& state, TreeId id, Bytes bytes) {
  return 2 * RootUnitsBound(state, id) + MessageUnits(bytes) + kNewRootUnits;
}

// Returns the units for a batch to the trees with the largest roots. A root counts as a full one, or as more if it is
// larger. It may be larger if work that would make it smaller has not come to it.
uint64_t BatchUnits(const Core& core, const State& state) {
  auto largest = state.trees.Large().begin();
  uint64_t units = 0;
  for (size_t i = 0; i < std::min(kBatchTrees, state.trees.Size()); ++i) {
    uint64_t root = core.FullRoot();
    if (largest != state.trees.Large().end()) {
      root = largest->first.first;
      ++largest;
    }
    units += 2 * root + MessageUnits(Bytes{0}) + kNewRootUnits;
  }
  return units;
}

// Returns the units for the table and both copies of the catalog, twice: a checkpoint may begin while another one is
// being written, or while a reader holds the state before.
uint64_t TableUnits(const Core& core, const State& state) {
  const Bytes catalog =
      state.trees.NameBytes() + kTreeBytes * (state.trees.Size() + core.options.functions.All().size()) + kNewTree;
  return 2 * (state.table.Pages() + kFreshPages + 2 * WithMap(UnitsFor(catalog)));
}

// Returns the units that this many bytes of messages in interior nodes may take in addition once they are entries.
uint64_t UnitsToGrow(const Core& core, Bytes messages) {
  const Bytes entries = SpaceOfEntry(core.shape.node_size, static_cast<uint32_t>(core.shape.fanout), kSmallEntry);
  return UnitsFor(Bytes{messages.value * (entries.value - kSmallEntry.value) / kSmallEntry.value});
}

// Returns WaitingIn, or at least as much without counting: the last count and what has come to nodes since. Counts anew
// if a certain share of the image was made since. `buffered`: bytes of messages that have not come to nodes yet.
Bytes WaitingAtMost(const Core& core, const State& state, Bytes buffered) {
  const uint64_t stale = UnitsFor(core.reserve) / 16;
  const uint64_t risen = core.io->BoundsRisen();
  const uint64_t all = core.waiting;
  const uint64_t come = all - std::min(all, buffered.value);
  WaitingCount count;
  {
    const MutexLock lock(core.count_mutex);
    count = core.waiting_count;
  }
  if (count.risen && risen - *count.risen <= stale && come >= count.come) return count.bytes + Bytes{come - count.come};
  count = {WaitingIn(state), come, risen};
  const MutexLock lock(core.count_mutex);
  core.waiting_count = count;
  return count.bytes;
}

bool Many(const Core& core, uint64_t units) { return units > UnitsFor(core.reserve) / 8; }

uint64_t UnitsToLeave(const Core& core, Purpose purpose) {
  const uint64_t reserve = UnitsFor(core.reserve_at_hand);
  switch (purpose) {
    case Purpose::kWrite:
      return UnitsFor(core.reserve) + UnitsToGrow(core, Bytes{core.waiting});
    case Purpose::kGrow:
      return reserve - reserve / 4;
    case Purpose::kDelete:
      return reserve / 2;
    case Purpose::kHelp:
      return reserve / 4;
    case Purpose::kReplace:
      return reserve / 16 * 3;
    case Purpose::kSettle:
      return reserve / 16;
    case Purpose::kFree:
      return reserve / 32;
    case Purpose::kShrink:
      break;
  }
  return 0;
}

// Returns what a full store needs. Small nodes are many, and what waits in them needs more room to be moved.
uint64_t LeastReserveUnits(const layout::Superblock& superblock) {
  const uint64_t area = superblock.ExtentArea().units;
  const uint64_t nodes = layout::FullNodeUnits(superblock.node_size) * kReserveNodes + layout::kReserveUnits;
  const bool are_small = superblock.node_size < kSmallNode;
  return std::min(area / 4, are_small ? std::max(nodes, area / kUsualShare) : nodes);
}

}  // namespace

Pledge::Pledge(layout::SpaceMap& space, std::map<TreeId, Bytes> messages)
    : space_(space), messages_(std::move(messages)) {
  for (const auto& [tree, bytes] : messages_) units_ += MessageUnits(bytes) - MessageUnits(Bytes{0});
  space_.Promise(units_);
}

Bytes Pledge::Size() const {
  Bytes size{0};
  for (const auto& [tree, bytes] : messages_) size += bytes;
  return size;
}

Pledge::~Pledge() { space_.TakeBack(units_); }

Bytes WaitingIn(const State& state) {
  Bytes waiting{0};
  state.table.ForEach([&](NodeId, const dag::NodeRecord& record) {
    const bool interior = record.height > 0 && !record.Dead();
    const auto* version = interior ? dynamic_cast<const NodeVersion*>(record.slot.get()) : nullptr;
    waiting += version == nullptr ? Bytes{0} : version->Content();
  });
  return waiting;
}

bool ManyWait(const Core& core, const State& state) { return Many(core, UnitsToGrow(core, WaitingIn(state))); }

Bytes ReserveOf(const layout::Superblock& superblock) {
  constexpr uint64_t kWhole = 10'000;
  const uint64_t area = superblock.ExtentArea().units;
  const uint64_t share = superblock.reserve.value;
  const uint64_t wanted = share == 0 ? area / kUsualShare : area / kWhole * share + area % kWhole * share / kWhole;
  return layout::UnitBytes(std::max(wanted, LeastReserveUnits(superblock)));
}

Bytes ReserveAtHand(const Core& core, const State& state) {
  const uint64_t free = UnitsFor(core.space->Figures().free);
  const uint64_t needed = std::min(free, TableUnits(core, state) + BatchUnits(core, state));
  return layout::UnitBytes(std::clamp(free - needed, LeastReserveUnits(core.superblock), UnitsFor(core.reserve)));
}

bool Grows(const Core& core, const State& before, const State& after, const dag::Edit& edit) {
  uint64_t units_before = BatchUnits(core, before);
  uint64_t units_after = BatchUnits(core, after);
  for (const NodeId id : std::set<NodeId>(edit.changed().begin(), edit.changed().end())) {
    units_before += UnitsBoundOf(before.table.Find(id));
    units_after += UnitsBoundOf(edit.table().Find(id));
  }
  return units_after > units_before;
}

uint64_t CheckpointUnits(const Core& core, const Fronts& fronts, const State& state, const Pledge* pledge) {
  uint64_t units = TableUnits(core, state);
  std::map<TreeId, Bytes> buffered = fronts.Sizes();
  if (pledge != nullptr) {
    for (const auto& [tree, bytes] : pledge->messages()) buffered[tree] += bytes;
  }
  for (const auto& [tree, bytes] : buffered) units += RootUnits(state, tree, bytes);
  return units - (pledge == nullptr ? 0 : pledge->units());  // the pledge's units are promised already
}

// A root in `state` that is not in the state whose roots were counted has been made since, so BoundsRisen() includes
// it. A root of a tree that has become busy since may be older, but Together::come includes it.
uint64_t CheckpointUnitsAtMost(const Core& core, const Fronts& fronts, const State& state, const Pledge* pledge) {
  const Fronts::Together all = fronts.All();
  const uint64_t grown = core.io->BoundsRisen() - all.counted.risen + all.come - all.counted.come;
  uint64_t units = TableUnits(core, state) + 2 * (all.counted.units + grown) + MessageUnitsAtMost(all.trees, all.size) +
                   kNewRootUnits * all.trees;
  if (pledge != nullptr) {
    for (const auto& [tree, bytes] : pledge->messages()) units += RootUnits(state, tree, bytes);
    units -= pledge->units();
  }
  return units;
}

void CountRoots(const Fronts& fronts) {
  const uint64_t come = fronts.All().come;
  const StatePtr state = fronts.state();
  Fronts::Counted counted{0, state->risen, come};
  for (const TreeId tree : fronts.Busy()) counted.units += RootUnitsBound(*state, tree);
  fronts.Remember(counted);
}

uint64_t UnitsForWriting(const Core& core, const Fronts& fronts, const State& state) {
  const layout::SpaceFigures figures = core.space->Figures();
  const Bytes node = core.shape.node_size;
  const Bytes messages = fronts.Size();
  const Bytes buffered =
      messages * SpaceOfEntry(node, static_cast<uint32_t>(core.shape.fanout), kEntry).value / kEntry.value;
  uint64_t growth = UnitsToGrow(core, Bytes{core.waiting});
  if (Many(core, growth)) growth = std::min(growth, UnitsToGrow(core, WaitingAtMost(core, state, messages)));
  const uint64_t taken = UnitsFor(figures.promised) + TableUnits(core, state) + UnitsFor(core.reserve) + growth +
                         BatchUnits(core, state) + UnitsFor(buffered);
  const uint64_t free = UnitsFor(figures.free);
  return free > taken ? free - taken : 0;
}

Bytes SpaceOfEntry(Bytes node_size, uint32_t fanout, Bytes entry) {
  const Bytes own = entry + kEntryOverhead;
  // A leaf that has become too large by one entry is split into halves of whole entries. A leaf of a single entry is
  // not split.
  const uint64_t entries = node_size / own + 1;
  const uint64_t leaves = entries > 1 ? 2 : 1;
  const uint64_t units = UnitsFor(own * (entries / 2)) + UnitsFor(own * ((entries + 1) / 2));
  // Each leaf has a header, a share of an interior node of two units that has half of its edges, and a share of a
  // half-full page of the table.
  const Bytes header = layout::kUnit + layout::UnitBytes(4) / fanout + layout::kUnit / 32;
  const Bytes space = layout::UnitBytes(units) + header * leaves;
  return Bytes{(space.value + entries - 1) / entries};
}

absl::Status CheckHeadroom(const Core& core, const Fronts& fronts, const State& state, Purpose purpose,
                           const Pledge* pledge) {
  const uint64_t left = UnitsToLeave(core, purpose);
  // These steps are done for deletes, and a delete may write to both trees of a file system.
  const bool before_deletes = purpose == Purpose::kHelp || purpose == Purpose::kSettle;
  const uint64_t least = before_deletes ? TableUnits(core, state) + BatchUnits(core, state) : 0;
  if (core.space->Fits(std::max(least, CheckpointUnitsAtMost(core, fronts, state, pledge)) + left)) {
    return absl::OkStatus();
  }
  CountRoots(fronts);  // for the next check
  const uint64_t units = std::max(least, CheckpointUnits(core, fronts, state, pledge));
  if (core.space->Fits(units + left)) return absl::OkStatus();
  const layout::SpaceFigures figures = core.space->Figures();
  return absl::ResourceExhaustedError(
      fmt::format("{}: no space left: {} KiB free, of which {} are promised, {} needed and {} kept",
                  core.device->Name(), figures.free.value / 1024, figures.promised.value / 1024,
                  layout::UnitBytes(units).value / 1024, layout::UnitBytes(left).value / 1024));
}

}  // namespace betr::store
