// SPDX-License-Identifier: Apache-2.0
#include "dag/change/compact.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
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

// About how many bytes a run takes if it is written anew, with its keys as they read.
Bytes WrittenSize(const BlockView& run) { return run.Size() + Bytes{run.Count() * run.affix.prepend.size()}; }

// Groups runs into stacks of those that lie on top of each other, oldest first. No run reaches from one stack into
// another. If there are many more runs than `most`, neighbours that are shown in the same way go into one stack, too.
// Otherwise each directory that is written to by itself would leave a run.
std::vector<Indices> StacksOf(const Runs& runs, size_t most) {
  constexpr size_t kTimesBeside = 8;
  Indices order(runs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) -> const Bound& { return runs[i].clip.lo; });
  std::vector<Indices> stacks;
  const Bound* end = nullptr;  // of the last stack
  for (const size_t i : order) {
    const Range& clip = runs[i].clip;
    const bool is_beside = end == nullptr || clip.lo >= *end;
    if (is_beside &&
        (stacks.empty() || runs.size() <= most * kTimesBeside || runs[stacks.back().back()].affix != runs[i].affix)) {
      stacks.emplace_back();
    }
    stacks.back().push_back(i);
    end = is_beside ? &clip.hi : &std::max(*end, clip.hi);
  }
  for (Indices& stack : stacks) std::ranges::sort(stack);
  return stacks;
}

size_t BlocksOf(const Runs& runs, const Indices& some) {
  absl::flat_hash_set<const BlockSlot*> blocks;
  for (const size_t i : some) blocks.insert(runs[i].slot.get());
  return blocks.size();
}

// Chooses the runs of a stack that are to become one. If no block of theirs is shown elsewhere in the node, these are
// all. Otherwise they are the newest, as far as none is larger than all newer ones together. Fewer than two: there is
// nothing to do.
Indices ToCompact(const Runs& runs, Indices stack, const BlockShares& shares) {
  if (std::ranges::none_of(stack, [&](size_t i) { return shares.Views(runs[i]) > 1; })) return stack;
  size_t first = stack.size() - 1;
  for (Bytes together = runs[stack[first]].Size(); first > 0 && runs[stack[first - 1]].Size() <= together; --first) {
    together += runs[stack[first - 1]].Size();
  }
  return {stack.begin() + static_cast<ptrdiff_t>(first), stack.end()};
}

// Whether to try to compact the chosen runs: there are several, and they make one run. If one of them cannot be read,
// trying fails, and must not be repeated with each run that comes. So unless all are in memory, it is tried only each
// time that `too_many`, the number of superfluous blocks, has doubled.
bool MayCompact(const Runs& runs, const Indices& chosen, size_t too_many) {
  Bytes written{0};
  for (const size_t i : chosen) written += WrittenSize(runs[i]);
  const auto in_memory = [&](size_t i) { return runs[i].slot->Peek() != nullptr; };
  return chosen.size() > 1 && written <= kMaxRunSize &&
         (std::has_single_bit(too_many) || std::ranges::all_of(chosen, in_memory));
}

// Whether a goto hides some part of `range` in the run at index `from`, or in a later run.
bool HidesFrom(const Partition& partition, const Range& range, size_t from) {
  return std::ranges::any_of(
      partition.gotos, [&](const Goto& message) { return message.over > from && message.link.range.Overlaps(range); });
}

// What takes the place of some runs. It goes where the last of them was: up to there no other run lies on top of them.
struct Replacement {
  Indices old;
  Runs made;
};

void Replace(Partition& partition, const std::vector<Replacement>& replacements) {
  std::vector<const Replacement*> of(partition.runs.size(), nullptr);
  for (const Replacement& replacement : replacements) {
    for (const size_t i : replacement.old) of[i] = &replacement;
  }
  Runs runs;
  std::vector<uint32_t> kept_before;
  for (size_t i = 0; i < of.size(); ++i) {
    kept_before.push_back(static_cast<uint32_t>(runs.size()));
    if (of[i] == nullptr) {
      runs.push_back(std::move(partition.runs[i]));
    } else if (i == of[i]->old.back()) {
      runs.insert(runs.end(), of[i]->made.begin(), of[i]->made.end());
    }
  }
  kept_before.push_back(static_cast<uint32_t>(runs.size()));
  partition.runs = std::move(runs);
  for (Goto& message : partition.gotos) message.over = kept_before[message.over];
}

// The smallest range that holds all that some runs show.
Range HullOf(const Runs& runs, const Indices& some) {
  Range hull = runs[some.front()].clip;
  for (const size_t i : some) hull = {std::min(hull.lo, runs[i].clip.lo), std::max(hull.hi, runs[i].clip.hi)};
  return hull;
}

// Returns the runs in a space without the prefix that all keys of their hull share.
Runs Relative(const Runs& runs, const Range& hull) {
  Runs relative;
  for (const BlockView& run : runs) relative.push_back(run.Strip(hull.Lcp()));
  return relative;
}

Runs Chosen(const Runs& runs, const Indices& some) {
  Runs chosen;
  for (const size_t i : some) chosen.push_back(runs[i]);
  return chosen;
}

// Puts `made` in the place of `old` wherever the edge has these runs directly on top of each other. Both are without
// the prefix of their hull (Relative).
void ReplaceAlike(Edge& edge, const Runs& old, const Runs& made, size_t most) {
  const auto same_block = [](const BlockView& a, const BlockView& b) { return a.slot == b.slot; };
  const auto is_first = [&](const BlockView& run) { return same_block(run, old.front()); };
  if (std::ranges::none_of(edge.partition.runs, is_first)) return;
  const Runs& runs = edge.partition.runs;
  std::vector<Replacement> replacements;
  for (const Indices& stack : StacksOf(runs, most)) {
    const auto found = std::search(stack.begin(), stack.end(), old.begin(), old.end(),
                                   [&](size_t i, const BlockView& run) { return same_block(runs[i], run); });
    if (found == stack.end()) continue;
    Replacement here{{found, found + static_cast<ptrdiff_t>(old.size())}, {}};
    const Range hull = HullOf(runs, here.old);
    if (HidesFrom(edge.partition, hull, *found) || Relative(Chosen(runs, here.old), hull) != old) continue;
    for (const BlockView& run : made) here.made.push_back(run.Prepend(hull.Lcp()));
    replacements.push_back(std::move(here));
  }
  Replace(edge.partition, replacements);
}

// Returns some runs of a partition, with the gotos that may hide something of them.
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

// Compacts some runs of an edge into one. The new run also replaces the same runs of other edges.
absl::Status CompactRuns(Edit& edit, Node& node, size_t index, const Indices& some) {
  Partition& partition = node.edges[index].partition;
  const Range hull = HullOf(partition.runs, some);
  const Partition part = Part(partition, some, hull);
  const absl::StatusOr<Partition> made = Compact(edit, part, hull);
  if (IsUnreadable(made.status())) {
    return absl::OkStatus();  // nothing is lost: the messages stay, in more runs
  }
  BETR_RETURN_IF_ERROR(made.status());
  Replace(partition, {{some, made->runs}});
  if (part.gotos.empty()) {  // otherwise other edges may show what these gotos hide
    for (Edge& edge : node.edges) {
      ReplaceAlike(edge, Relative(part.runs, hull), Relative(made->runs, hull), edit.shape().runs);
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
    for (const Message& message : reader.Messages()) builder.Add(reader.Key(), message);
  }
  Partition compact{std::move(builder).Finish(), partition.gotos};
  for (Goto& message : compact.gotos) message.over = 0;
  return compact;
}

absl::Status CompactIfMany(Edit& edit, Node& node, size_t index) {
  const size_t most = edit.shape().runs;
  const Runs& runs = node.edges[index].partition.runs;
  for (size_t before = SIZE_MAX; runs.size() > most && runs.size() < before;) {
    before = runs.size();
    std::optional<BlockShares> shares;
    for (const Indices& stack : StacksOf(runs, most)) {
      const size_t blocks = stack.size() <= most ? 0 : BlocksOf(runs, stack);
      if (blocks <= most) continue;
      if (!shares) shares.emplace(node);
      const Indices chosen = ToCompact(runs, stack, *shares);
      if (MayCompact(runs, chosen, blocks - most)) BETR_RETURN_IF_ERROR(CompactRuns(edit, node, index, chosen));
      if (runs.size() < before) {
        break;  // the runs of the other stacks have other indices now
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace betr::dag
