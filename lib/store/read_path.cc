// SPDX-License-Identifier: Apache-2.0
// Reads: first from the buffers, then from the DAG of the same instant. Also has the statistics.
#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "dag/content_id.h"
#include "dag/read/estimate.h"
#include "dag/read/footprint.h"
#include "dag/read/lookup.h"
#include "dag/read/tree_cursor.h"
#include "dag/read/tree_difference.h"
#include "store/impl.h"

namespace betr {
namespace {

absl::StatusOr<const store::Tree*> TreeOf(const store::State& state, TreeId tree) {
  const store::Tree* found = state.trees.Find(tree);
  if (found == nullptr) return store::NoSuchTree(tree);
  return found;
}

Bytes StoredSize(const dag::NodeRecord& record) {
  const auto address = static_cast<const store::NodeVersion&>(*record.slot).Address();
  return address ? address->extent->Space() : layout::UnitBytes(store::UnitsBoundOf(&record));
}

}  // namespace

absl::StatusOr<std::optional<std::string>> Store::Impl::Get(const store::View* view, TreeId tree,
                                                            std::string_view key) {
  dag::ValueBuilder value;
  store::StatePtr state;
  if (view == nullptr) {
    BETR_ASSIGN_OR_RETURN(state, fronts_.LookUp(tree, key, value));
  } else {
    state = view->state;
    for (const auto& layer : view->LayersOf(tree)) {
      if (!value.Done()) layer->LookUp(key, value);
    }
  }
  BETR_ASSIGN_OR_RETURN(const store::Tree* const found, TreeOf(*state, tree));
  if (!value.Done()) BETR_RETURN_IF_ERROR(dag::LookUp(state->table, found->root, key, value));
  return value.Resolve(core_->options.functions, key);
}

absl::StatusOr<std::unique_ptr<Cursor>> Store::Impl::NewCursor(std::shared_ptr<const store::View> view, TreeId tree,
                                                               Range bounds) {
  BETR_ASSIGN_OR_RETURN(const store::Tree* const found, TreeOf(*view->state, tree));
  dag::Source source{view->state->table, found->root, view->LayersOf(tree)};
  return std::make_unique<dag::TreeCursor>(std::move(source), std::move(bounds), core_->options.functions,
                                           std::move(view));
}

absl::StatusOr<std::unique_ptr<DifferenceCursor>> Store::Impl::NewDifference(std::shared_ptr<const store::View> view,
                                                                             const TreePrefix& before,
                                                                             const TreePrefix& after) {
  const auto side = [&](const TreePrefix& of) -> absl::StatusOr<dag::Side> {
    BETR_ASSIGN_OR_RETURN(const store::Tree* const tree, TreeOf(*view->state, of.tree));
    return dag::Side{{view->state->table, tree->root, view->LayersOf(of.tree)}, of.prefix};
  };
  BETR_ASSIGN_OR_RETURN(dag::Side from, side(before));
  BETR_ASSIGN_OR_RETURN(dag::Side to, side(after));
  return std::make_unique<dag::TreeDifference>(std::move(from), std::move(to), core_->options.functions,
                                               std::move(view));
}

absl::StatusOr<RangeEstimate> Store::Impl::Estimate(TreeId tree, const Range& range) {
  const std::shared_ptr<const store::View> view = Pin();
  BETR_ASSIGN_OR_RETURN(const store::Tree* const found, TreeOf(*view->state, tree));
  BETR_ASSIGN_OR_RETURN(RangeEstimate estimate, dag::Estimate(view->state->table, found->root, range));
  for (const auto& layer : view->LayersOf(tree)) {
    const dag::Stretch stretch = layer->Around(range.lo, dag::Direction::kForward);
    estimate.exact = estimate.exact && !stretch.erased && stretch.range.Covers(range);
    const std::unique_ptr<dag::PointReader> points = layer->Points();
    for (points->SeekForward(range.lo); points->Valid() && range.Contains(points->Key()); points->Next()) {
      ++estimate.keys;
      estimate.bytes += Bytes{points->Key().size() + points->At(0).value.size()};
      estimate.exact = false;
    }
  }
  return estimate;
}

absl::StatusOr<std::optional<ContentId>> Store::Impl::IdOfContent(const store::View& view, TreeId tree,
                                                                  std::string_view prefix) {
  BETR_ASSIGN_OR_RETURN(const store::Tree* const found, TreeOf(*view.state, tree));
  const Range range = Range::Prefix(prefix);
  for (const auto& layer : view.LayersOf(tree)) {
    const dag::Stretch stretch = layer->Around(range.lo, dag::Direction::kForward);
    const std::unique_ptr<dag::PointReader> points = layer->Points();
    points->SeekForward(range.lo);
    if (stretch.erased || !stretch.range.Covers(range) || (points->Valid() && range.Contains(points->Key()))) {
      return std::nullopt;
    }
  }
  BETR_ASSIGN_OR_RETURN(ContentId id, dag::FindContentId(view.state->table, found->root, prefix));
  return std::optional(std::move(id));
}

absl::StatusOr<Footprint> Store::Impl::FootprintOf(const store::View& view, const std::vector<TreePrefix>& prefixes) {
  std::map<TreeId, dag::TreePart> parts;
  for (const TreePrefix& of : prefixes) {
    BETR_ASSIGN_OR_RETURN(const store::Tree* const tree, TreeOf(*view.state, of.tree));
    dag::TreePart& part = parts[of.tree];
    part.root = tree->root;
    part.ranges.Add(Range::Prefix(of.prefix));
  }
  std::vector<dag::TreePart> all;
  for (auto& [tree, part] : parts) all.push_back(std::move(part));
  return dag::FootprintOf(view.state->table, all, StoredSize);
}

StoreStats Store::Impl::Stats() const {
  StoreStats stats;
  const dag::Counters& dag = core_->dag_counters;
  for (size_t i = 0; i < stats.flushes_by_height.size(); ++i) stats.flushes_by_height[i] = dag.flushes_by_height[i];
  stats.unshares = dag.unshares;
  stats.relifts = dag.relifts;
  stats.splits = dag.splits;
  stats.merges = dag.merges;
  stats.gotos_buffered = dag.gotos_buffered;
  stats.gotos_converted = dag.carves;
  stats.clones = dag.clones;
  stats.nodes_created = dag.nodes_created;
  stats.nodes_reclaimed = dag.nodes_reclaimed;
  stats.nodes_touched = dag.nodes_touched;
  stats.nodes_swept = dag.nodes_swept;
  const store::IoCounters& io = core_->io->counters();
  stats.node_reads = io.node_reads;
  stats.block_reads = io.block_reads;
  stats.node_writes = io.node_writes;
  stats.bytes_read = Bytes{io.bytes_read};
  const store::LogCounters log = log_ == nullptr ? store::LogCounters() : log_->Counters();
  stats.log_syncs = log.syncs;
  stats.log_wraps = log.wraps;
  stats.bytes_log = log.bytes;
  const store::StoreCounters& counters = core_->counters;
  stats.checkpoints = counters.checkpoints;
  stats.bytes_checkpoint = Bytes{counters.bytes_checkpoint};
  stats.bytes_eviction = Bytes{counters.bytes_eviction};
  stats.bytes_batches = Bytes{counters.bytes_batches};
  stats.unreadable = core_->warnings->Count();
  stats.write_stalls = counters.write_stalls;
  stats.write_stall_ns = counters.write_stall_ns;
  stats.cache_clean = core_->cache->Clean();
  stats.cache_dirty = core_->cache->Dirty();
  stats.buffers = fronts_.Size();
  return stats;
}

SpaceStats Store::Impl::Space() const {
  space_asked_ = true;
  return SpaceNow();
}

SpaceStats Store::Impl::SpaceNow() const {
  const layout::SpaceFigures figures = core_->space->Figures();
  SpaceStats space;
  space.total = figures.total;
  space.free = figures.free;
  space.available = layout::UnitBytes(UnitsForWriting(*core_, fronts_, *fronts_.state()));
  space.reserve = core_->reserve;
  space.nodes = fronts_.state()->table.Count();
  space.dead_nodes = structure_.DeadNodes();
  return space;
}

void StoreStats::ForEach(const std::function<void(std::string_view, uint64_t)>& visit) const {
  for (size_t i = 0; i < flushes_by_height.size(); ++i) {
    visit(fmt::format("flushes_by_height.{}", i), flushes_by_height[i]);
  }
  visit("unshares", unshares);
  visit("relifts", relifts);
  visit("splits", splits);
  visit("merges", merges);
  visit("gotos_buffered", gotos_buffered);
  visit("gotos_converted", gotos_converted);
  visit("clones", clones);
  visit("nodes_created", nodes_created);
  visit("nodes_reclaimed", nodes_reclaimed);
  visit("nodes_touched", nodes_touched);
  visit("nodes_swept", nodes_swept);
  visit("node_reads", node_reads);
  visit("block_reads", block_reads);
  visit("node_writes", node_writes);
  visit("checkpoints", checkpoints);
  visit("log_syncs", log_syncs);
  visit("log_wraps", log_wraps);
  visit("bytes_read", bytes_read.value);
  visit("bytes_log", bytes_log.value);
  visit("bytes_checkpoint", bytes_checkpoint.value);
  visit("bytes_eviction", bytes_eviction.value);
  visit("bytes_batches", bytes_batches.value);
  visit("unreadable", unreadable);
  visit("cache_clean", cache_clean.value);
  visit("cache_dirty", cache_dirty.value);
  visit("buffers", buffers.value);
  visit("write_stalls", write_stalls);
  visit("write_stall_ns", write_stall_ns);
}

}  // namespace betr
