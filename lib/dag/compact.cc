// SPDX-License-Identifier: Apache-2.0
#include "dag/compact.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "base/status.h"
#include "dag/alike.h"
#include "dag/partition_reader.h"
#include "dag/run_builder.h"

namespace betr::dag {
namespace {

using Runs = std::vector<BlockView>;
using Indices = std::vector<size_t>;

// About the bytes of a run that is written anew, with all of its keys as they read.
Bytes WrittenSize(const BlockView& run) { return run.Size() + Bytes{run.Count() * run.affix.prepend.size()}; }

// The ranges that runs cover together: no run reaches from one into another.
std::vector<Range> StacksOf(const Runs& runs) {
  Indices order(runs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) -> const Bound& { return runs[i].clip.lo; });
  std::vector<Range> stacks;
  for (const size_t i : order) {
    const Range& clip = runs[i].clip;
    if (stacks.empty() || clip.lo >= stacks.back().hi) {
      stacks.push_back(clip);
    } else {
      stacks.back().hi = std::max(stacks.back().hi, clip.hi);
    }
  }
  return stacks;
}

// The runs in a stack, oldest first.
Indices RunsIn(const Runs& runs, const Range& stack) {
  Indices inside;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].clip.Overlaps(stack)) {
      inside.push_back(i);
    }
  }
  return inside;
}

size_t BlocksOf(const Runs& runs, const Indices& some) {
  absl::flat_hash_set<const BlockSlot*> blocks;
  for (const size_t i : some) {
    blocks.insert(runs[i].slot.get());
  }
  return blocks.size();
}

// Of the runs of a stack those that are to be one: the newest. Fewer than two: none.
Indices ToCompact(const Runs& runs, Indices stack, const BlockShares& shares) {
  if (std::ranges::none_of(stack, [&](size_t i) { return shares.Views(runs[i]) > 1; })) {
    return stack;
  }
  size_t first = stack.size() - 1;
  for (Bytes together = runs[stack[first]].Size(); first > 0 && runs[stack[first - 1]].Size() <= together; --first) {
    together += runs[stack[first - 1]].Size();
  }
  return {stack.begin() + static_cast<ptrdiff_t>(first), stack.end()};
}

// Whether it is worth trying to compact these of so many runs, and makes one. What failed because one of them cannot be
// read is not tried again with each run that comes, but when as many have come again.
bool MayCompact(const Runs& runs, const Indices& chosen, size_t too_many) {
  Bytes written{0};
  for (const size_t i : chosen) {
    written += WrittenSize(runs[i]);
  }
  const auto in_memory = [&](size_t i) { return runs[i].slot->Peek() != nullptr; };
  return chosen.size() > 1 && written <= kMaxRunSize &&
         (std::has_single_bit(too_many) || std::ranges::all_of(chosen, in_memory));
}

// Whether a goto hides some of what a stack shows in the run at `from`, or in a later one.
bool HidesFrom(const Partition& partition, const Range& stack, size_t from) {
  return std::ranges::any_of(
      partition.gotos, [&](const Goto& message) { return message.over > from && message.link.range.Overlaps(stack); });
}

// Puts `made` in the place of the last one of some runs, on top of which there is nothing up to there, and drops the
// others.
void Replace(Partition& partition, const Indices& old, const Runs& made) {
  Runs runs;
  std::vector<uint32_t> kept_before;
  for (size_t i = 0; i < partition.runs.size(); ++i) {
    kept_before.push_back(static_cast<uint32_t>(runs.size()));
    if (!std::ranges::binary_search(old, i)) {
      runs.push_back(std::move(partition.runs[i]));
    } else if (i == old.back()) {
      runs.insert(runs.end(), made.begin(), made.end());
    }
  }
  kept_before.push_back(static_cast<uint32_t>(runs.size()));
  partition.runs = std::move(runs);
  for (Goto& message : partition.gotos) {
    message.over = kept_before[message.over];
  }
}

// From the begin of what some runs show to the end.
Range HullOf(const Runs& runs, const Indices& some) {
  Range hull = runs[some.front()].clip;
  for (const size_t i : some) {
    hull = {std::min(hull.lo, runs[i].clip.lo), std::max(hull.hi, runs[i].clip.hi)};
  }
  return hull;
}

// Runs without what all that lies in their hull begins with.
Runs Relative(const Runs& runs, const Range& hull) {
  Runs relative;
  for (const BlockView& run : runs) {
    relative.push_back(run.Strip(hull.Lcp()));
  }
  return relative;
}

Runs Chosen(const Runs& runs, const Indices& some) {
  Runs chosen;
  for (const size_t i : some) {
    chosen.push_back(runs[i]);
  }
  return chosen;
}

// Puts `made` in the place of `old` wherever an edge has these runs on top of each other. Both are relative.
void ReplaceAlike(Edge& edge, const Runs& old, const Runs& made) {
  const auto same_block = [](const BlockView& a, const BlockView& b) { return a.slot == b.slot; };
  const auto is_first = [&](const BlockView& run) { return same_block(run, old.front()); };
  if (std::ranges::none_of(edge.partition.runs, is_first)) {
    return;
  }
  for (const Range& stack : StacksOf(edge.partition.runs)) {
    const Runs& runs = edge.partition.runs;
    const Indices inside = RunsIn(runs, stack);
    const auto found = std::search(inside.begin(), inside.end(), old.begin(), old.end(),
                                   [&](size_t i, const BlockView& run) { return same_block(runs[i], run); });
    if (found == inside.end() || HidesFrom(edge.partition, stack, *found)) {
      continue;
    }
    const Indices here(found, found + static_cast<ptrdiff_t>(old.size()));
    const Range hull = HullOf(runs, here);
    if (Relative(Chosen(runs, here), hull) != old) {
      continue;
    }
    Runs made_here;
    for (const BlockView& run : made) {
      made_here.push_back(run.Prepend(hull.Lcp()));
    }
    Replace(edge.partition, here, made_here);
  }
}

// What a partition has in some of its runs.
Partition Part(const Partition& partition, const Indices& some, const Range& hull) {
  Partition part{Chosen(partition.runs, some), {}};
  for (const Goto& message : partition.gotos) {
    const auto over = std::ranges::lower_bound(some, message.over) - some.begin();
    if (over > 0 && message.link.range.Overlaps(hull)) {
      part.gotos.push_back(message);
      part.gotos.back().over = static_cast<uint32_t>(over);
    }
  }
  return part;
}

// Makes some runs of an edge one, and the same runs of others the same one.
absl::Status CompactRuns(Edit& edit, Node& node, size_t index, const Indices& some) {
  Partition& partition = node.edges[index].partition;
  const Range hull = HullOf(partition.runs, some);
  const Partition part = Part(partition, some, hull);
  const absl::StatusOr<Partition> made = Compact(edit, part, hull);
  if (IsUnreadable(made.status())) {
    return absl::OkStatus();  // the messages are there, in more runs
  }
  BETR_RETURN_IF_ERROR(made.status());
  Replace(partition, some, made->runs);
  if (part.gotos.empty()) {  // or others may show what they hide
    for (Edge& edge : node.edges) {
      ReplaceAlike(edge, Relative(part.runs, hull), Relative(made->runs, hull));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Partition> Compact(Edit& edit, const Partition& partition, const Range& range) {
  BETR_ASSIGN_OR_RETURN(PartitionReader reader, PartitionReader::Open(partition, edit.context().functions));
  RunBuilder builder(edit.context().source, range);
  builder.Reserve(partition.Size());
  for (; reader.Valid(); reader.Next()) {
    for (const Message& message : reader.Messages()) {
      builder.Add(reader.Key(), message);
    }
  }
  Partition compact{std::move(builder).Finish(), partition.gotos};
  for (Goto& message : compact.gotos) {
    message.over = 0;
  }
  return compact;
}

absl::Status CompactIfMany(Edit& edit, Node& node, size_t index) {
  const size_t most = edit.shape().runs;
  Partition& partition = node.edges[index].partition;
  if (partition.runs.size() <= most) {
    return absl::OkStatus();
  }
  const BlockShares shares(node);
  for (const Range& stack : StacksOf(partition.runs)) {
    const Indices inside = RunsIn(partition.runs, stack);
    const size_t blocks = inside.size() <= most ? 0 : BlocksOf(partition.runs, inside);
    const Indices chosen = blocks <= most ? Indices{} : ToCompact(partition.runs, inside, shares);
    if (MayCompact(partition.runs, chosen, blocks - most)) {
      BETR_RETURN_IF_ERROR(CompactRuns(edit, node, index, chosen));
    }
  }
  return absl::OkStatus();
}

}  // namespace betr::dag
