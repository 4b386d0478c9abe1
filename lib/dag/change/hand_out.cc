// SPDX-License-Identifier: Apache-2.0
#include "dag/change/hand_out.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/status.h"
#include "dag/change/compact.h"
#include "dag/partition_reader.h"
#include "dag/run_builder.h"

namespace betr::dag {
namespace {

// If `news` is one block in memory that one edge takes whole, makes the block itself a run of that edge, so that it
// need not be copied. Returns the index of the edge. Otherwise does nothing, and returns none. Nor does it pass on a
// block of which only a part is in view, or one with erases where there is nothing to erase.
std::optional<size_t> PassOnWhole(Node& node, const Partition& news) {
  const std::shared_ptr<const Block> block =
      news.runs.size() == 1 && news.gotos.empty() ? news.runs.front().slot->Peek() : nullptr;
  if (block == nullptr) return std::nullopt;
  const BlockView& run = news.runs.front();
  ViewReader reader(block, run);
  if (reader.Count() == 0 || reader.Count() < block->Count()) return std::nullopt;
  reader.SeekForward(run.clip.lo);
  const std::string first(reader.Key());
  const size_t index = node.EdgeOf(first);
  Edge& edge = node.edges[index];
  const bool reaches_in = edge.link.range.Contains(first);  // false only in a damaged node
  reader.SeekBackward(run.clip.hi);
  const bool for_all = reaches_in && edge.link.range.Contains(reader.Key());
  if (!for_all || (edge.Idle() && block->Erases() > 0)) return std::nullopt;
  edge.partition.runs.push_back(run.Cut(edge.link.range.Intersect(PrefixRange(first, reader.Key()))));
  return index;
}

// Points on their way into a node, to be handed out to its edges. Usually each edge gets one new run. If several runs
// show the same block, as those of generations that were cloned from each other do, the edges get views of the blocks
// instead.
class Points {
 public:
  static absl::StatusOr<Points> Of(Edit& edit, const Partition& news) {
    Points points(edit, news);
    std::optional<std::vector<BlockView>> shown = AnyBlockTwice(news) ? NotHidden(news) : std::nullopt;
    points.keeps_blocks_ = shown.has_value();
    if (shown) {
      points.news_ = {};
      for (BlockView& run : *shown) BETR_RETURN_IF_ERROR(points.TakeShown(std::move(run)));
    }
    return points;
  }

  absl::Status HandTo(Node& node) {
    std::vector<ViewReader> readers;
    for (const BlockView& run : news_.runs) {
      BETR_ASSIGN_OR_RETURN(ViewReader reader, ViewReader::Open(run));
      readers.push_back(std::move(reader));
    }
    Bound from = node.bounds.lo;
    while (const std::optional<std::string> key = FirstKeyFrom(readers, from)) {
      const size_t index = node.EdgeOf(*key);
      BETR_RETURN_IF_ERROR(HandToEdge(node.edges[index]));
      BETR_RETURN_IF_ERROR(CompactIfMany(edit_, node, index));
      from = node.edges[index].link.range.hi;
    }
    return absl::OkStatus();
  }

 private:
  Points(Edit& edit, Partition news) : edit_(edit), news_(std::move(news)) {}

  static std::optional<std::string> FirstKeyFrom(std::vector<ViewReader>& readers, const Bound& from) {
    std::optional<std::string> first;
    for (ViewReader& reader : readers) {
      reader.SeekForward(from);
      if (reader.Valid() && (!first || reader.Key() < *first)) first = reader.Key();
    }
    return first;
  }

  static bool AnyBlockTwice(const Partition& news) {
    absl::flat_hash_set<const BlockSlot*> blocks;
    return !std::ranges::all_of(news.runs, [&](const BlockView& run) { return blocks.insert(run.slot.get()).second; });
  }

  // Returns what no goto hides of the runs, oldest first. None if that would be too many pieces.
  static std::optional<std::vector<BlockView>> NotHidden(const Partition& news) {
    const size_t most = 64 + 2 * news.runs.size();
    std::vector<BlockView> shown;
    for (size_t i = 0; i < news.runs.size() && shown.size() <= most; ++i) {
      BlockView rest = news.runs[i];
      for (size_t g = FirstGotoAfter(news.gotos, rest.clip.lo);
           g < news.gotos.size() && news.gotos[g].link.range.lo < rest.clip.hi && shown.size() <= most; ++g) {
        const Range& hidden = news.gotos[g].link.range;
        if (news.gotos[g].over > i) {
          if (BlockView before = rest.Cut({rest.clip.lo, hidden.lo}); !before.clip.Empty()) {
            shown.push_back(std::move(before));
          }
          rest.clip.lo = std::max(rest.clip.lo, hidden.hi);
        }
      }
      if (!rest.clip.Empty()) shown.push_back(std::move(rest));
    }
    return shown.size() <= most ? std::optional(std::move(shown)) : std::nullopt;
  }

  // Keeps a run if it shows anything. If it shows less than half of its block, it gets a new block of only that part.
  absl::Status TakeShown(BlockView run) {
    BETR_ASSIGN_OR_RETURN(const std::shared_ptr<const Block> block, run.slot->Get());
    const ViewReader reader(block, run);
    if (reader.Count() == 0) return absl::OkStatus();
    if (2 * reader.Size().value < run.Size().value) run.slot = PartOf(*block, run);
    news_.runs.push_back(std::move(run));
    return absl::OkStatus();
  }

  // Returns a block of only the part that the run shows. It is the same one for all views of the same part.
  std::shared_ptr<const BlockSlot> PartOf(const Block& block, const BlockView& run) {
    const Range stored{run.affix.Store(run.clip.lo), run.affix.Store(run.clip.hi)};
    auto& part = parts_[{run.slot.get(), stored.lo, stored.hi}];
    if (part == nullptr) {
      BlockBuilder builder;
      for (size_t i = block.LowerBound(stored.lo), end = block.LowerBound(stored.hi); i < end; ++i) {
        builder.Add(block.Key(i), block.At(i));
      }
      part = edit_.context().source.Adopt(builder.Finish());
    }
    return part;
  }

  absl::Status HandToEdge(Edge& edge) const {
    const Partition part = news_.Cut(edge.link.range);
    const auto erases = [](const BlockView& run) { return run.slot->Erases().value_or(1) > 0; };
    if (keeps_blocks_ && !(edge.Idle() && std::ranges::any_of(part.runs, erases))) {
      edge.partition.runs.insert(edge.partition.runs.end(), part.runs.begin(), part.runs.end());
      return absl::OkStatus();
    }
    return Merge(part, edge);
  }

  absl::Status Merge(const Partition& part, Edge& edge) const {
    const bool nothing_there = edge.Idle();
    BETR_ASSIGN_OR_RETURN(PartitionReader reader, PartitionReader::Open(part, edit_.context().functions));
    RunBuilder builder(edit_.context().source, edge.link.range);
    builder.Reserve(SizeOf(part));
    for (; reader.Valid(); reader.Next()) {
      if (nothing_there && reader.Messages().size() == 1 && reader.Messages()[0].kind == MessageKind::kErase) continue;
      for (const Message& message : reader.Messages()) builder.Add(reader.Key(), message);
    }
    std::ranges::move(std::move(builder).Finish(), std::back_inserter(edge.partition.runs));
    return absl::OkStatus();
  }

  // About how many bytes the points have. Reads nothing: a block that is not in memory does not count.
  static Bytes SizeOf(const Partition& part) {
    Bytes size{0};
    for (const BlockView& run : part.runs) {
      if (const std::shared_ptr<const Block> block = run.slot->Peek()) size += ViewReader(block, run).Size();
    }
    return size;
  }

  Edit& edit_;
  Partition news_;
  bool keeps_blocks_ = false;
  std::map<std::tuple<const BlockSlot*, Bound, Bound>, std::shared_ptr<const BlockSlot>> parts_;
};

}  // namespace

absl::Status HandOut(Edit& edit, Node& node, const Partition& news) {
  if (const std::optional<size_t> index = PassOnWhole(node, news)) return CompactIfMany(edit, node, *index);
  BETR_ASSIGN_OR_RETURN(Points points, Points::Of(edit, news));
  return points.HandTo(node);
}

}  // namespace betr::dag
