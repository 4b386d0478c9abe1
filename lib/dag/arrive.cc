// SPDX-License-Identifier: Apache-2.0
#include "dag/arrive.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/carve.h"
#include "dag/live.h"
#include "dag/partition_reader.h"
#include "dag/run_builder.h"

namespace betr::dag {
namespace {

void EraseInEdge(Edit& edit, Edge& edge, const Goto& erase) {
  const Range part = edge.link.range.Intersect(erase.link.range);
  if (part == edge.link.range) {
    Clear(edit, edge);
  } else if (!edge.Idle()) {
    BufferGoto(edit, edge.partition, erase.Cut(part));
  }
}

void ArriveErase(Edit& edit, Node& node, const Goto& erase) {
  const size_t first = node.EdgeAfter(erase.link.range.lo);
  size_t last = first;
  for (; last < node.edges.size() && node.edges[last].link.range.lo < erase.link.range.hi; ++last) {
    EraseInEdge(edit, node.edges[last], erase);
  }
  CoalesceNullEdges(node, first, last);
}

// About how many bytes of points the news have inside `range`; no block is read.
Bytes PointsInside(const Partition& news, const Range& range) {
  Bytes size{0};
  for (const BlockView& run : news.runs) {
    if (const std::shared_ptr<const Block> block = run.slot->Peek()) {
      size += ViewReader(block, run.Cut(range)).Size();
    }
  }
  return size;
}

// About the bytes of a run that is written anew, with all of its keys as they read.
Bytes WrittenSize(const BlockView& run) { return run.Size() + Bytes{run.Count() * run.affix.prepend.size()}; }

// Whether it is worth trying to compact so many runs, and makes one. What failed because one of them cannot be read is
// not tried again with each run that comes, but when as many have come again.
bool MayCompact(const Partition& partition, size_t most) {
  const auto in_memory = [](const BlockView& run) { return run.slot->Peek() != nullptr; };
  const size_t runs = partition.runs.size();
  if (runs <= most) {
    return false;
  }
  Bytes written{0};
  for (const BlockView& run : partition.runs) {
    written += WrittenSize(run);
  }
  return written <= kMaxRunSize && (std::has_single_bit(runs - most) || std::ranges::all_of(partition.runs, in_memory));
}

absl::Status AddRun(Edit& edit, Edge& edge, BlockView run) {
  edge.partition.runs.push_back(std::move(run));
  if (MayCompact(edge.partition, edit.shape().runs)) {
    absl::StatusOr<Partition> compacted = Compact(edit, edge.partition, edge.link.range);
    if (!compacted.ok()) {
      // The message is there, in one run more.
      return IsUnreadable(compacted.status()) ? absl::OkStatus() : compacted.status();
    }
    edge.partition = *std::move(compacted);
  }
  return absl::OkStatus();
}

// The edge for which news that are one block are meant as a whole, so that they need not be copied; null if there is
// none, or if a block would stay that is not all in view, or has erases of what is not there.
Edge* EdgeForAll(Node& node, const Partition& news) {
  const std::shared_ptr<const Block> block =
      news.runs.size() == 1 && news.gotos.empty() ? news.runs.front().slot->Peek() : nullptr;
  if (block == nullptr) {
    return nullptr;
  }
  const BlockView& run = news.runs.front();
  ViewReader reader(block, run);
  if (reader.Count() == 0 || reader.Count() < block->Count()) {
    return nullptr;
  }
  reader.SeekForward(run.clip.lo);
  Edge& edge = node.edges[node.EdgeOf(reader.Key())];
  const bool reaches_in = edge.link.range.Contains(reader.Key());  // always, but in a damaged node
  reader.SeekBackward(run.clip.hi);
  const bool for_all = reaches_in && edge.link.range.Contains(reader.Key());
  return !for_all || (edge.Idle() && block->Erases() > 0) ? nullptr : &edge;
}

absl::Status ArriveAtInterior(Edit& edit, Node& node, const Partition& news) {
  if (Edge* edge = EdgeForAll(node, news)) {
    return AddRun(edit, *edge, news.runs.front().Cut(edge->link.range));
  }
  for (const Goto& message : news.gotos) {
    ArriveGoto(edit, node, message);
  }
  BETR_ASSIGN_OR_RETURN(PartitionReader reader, PartitionReader::Open(news, edit.context().functions));
  while (reader.Valid()) {
    Edge& edge = node.edges[node.EdgeOf(reader.Key())];
    const bool nothing_there = edge.Idle();
    RunBuilder builder(edit.context().source, edge.link.range);
    builder.Reserve(PointsInside(news, edge.link.range));
    for (; reader.Valid() && !edge.link.range.hi.Before(reader.Key()); reader.Next()) {
      if (nothing_there && reader.Messages().size() == 1 && reader.Messages()[0].kind == MessageKind::kErase) {
        continue;
      }
      for (const Message& message : reader.Messages()) {
        builder.Add(reader.Key(), message);
      }
    }
    for (BlockView& run : std::move(builder).Finish()) {
      BETR_RETURN_IF_ERROR(AddRun(edit, edge, std::move(run)));
    }
  }
  return absl::OkStatus();
}

// What a carved edge still shows beside the hole may be nothing: then it would share its child for nothing, and pin
// what nobody sees. Only as far as memory tells.
void ClearFringes(Edit& edit, Node& node, size_t hole) {
  for (const size_t beside : {hole - 1, hole + 1}) {  // hole - 1 may wrap: no edge
    if (beside < node.edges.size() && !node.edges[beside].link.Null() &&
        ShowsNothing(edit.table(), node.edges[beside])) {
      Clear(edit, node.edges[beside]);
    }
  }
}

}  // namespace

void ArriveGoto(Edit& edit, Node& node, Goto message) {
  Check(!node.Leaf() && node.bounds.Covers(message.link.range), "a goto arrives inside an interior node");
  if (message.Erases()) {
    ArriveErase(edit, node, message);
    return;
  }
  Check(message.target_height < node.height, "a goto's target is lower than its holder");
  const Range range = message.link.range;
  Edge& edge = node.edges[node.EdgeAfter(range.lo)];
  const bool is_edge = message.target_height + 1 == node.height;
  if (!is_edge && edge.link.range.Covers(range) && edge.link.range != range) {
    BufferGoto(edit, edge.partition, std::move(message));
    return;
  }
  const size_t hole = CarveHole(edit, node, range);
  ClearFringes(edit, node, hole);
  if (is_edge) {
    node.edges[hole].link = std::move(message.link);
  } else {
    BufferGoto(edit, node.edges[hole].partition, std::move(message));
  }
  CoalesceNullEdges(node, hole == 0 ? 0 : hole - 1, hole + 2);
}

absl::Status Arrive(Edit& edit, Node& node, const Partition& news) {
  return node.Leaf() ? ArriveAtLeaf(edit, node, news) : ArriveAtInterior(edit, node, news);
}

}  // namespace betr::dag
