// SPDX-License-Identifier: Apache-2.0
#include "dag/partition.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace betr::dag {

namespace {

// Whether a view is known to show nothing. No I/O.
bool ShowsNoEntry(const BlockView& view) {
  std::shared_ptr<const Block> block = view.slot->Peek();
  return block != nullptr && ViewReader(std::move(block), view).Count() == 0;
}

}  // namespace

Bytes GotoSize(const Goto& message) {
  constexpr uint64_t kHeader = 24;
  return {kHeader + message.link.range.lo.bytes.size() + message.link.range.hi.bytes.size() +
          message.link.translation.size()};
}

Bytes Partition::Size() const {
  Bytes size{};
  for (const BlockView& run : runs) size += run.Size();
  for (const Goto& message : gotos) size += GotoSize(message);
  return size;
}

size_t FirstGotoAfter(const std::vector<Goto>& gotos, const Bound& bound) {
  const auto found = std::partition_point(gotos.begin(), gotos.end(),
                                          [&](const Goto& message) { return message.link.range.hi <= bound; });
  return static_cast<size_t>(found - gotos.begin());
}

const Goto* Partition::Covering(std::string_view key) const {
  const auto found = std::partition_point(gotos.begin(), gotos.end(),
                                          [&](const Goto& message) { return message.link.range.hi.Before(key); });
  return found != gotos.end() && found->link.range.lo.Before(key) ? &*found : nullptr;
}

Partition Partition::Cut(const Range& range) const {
  Partition cut;
  std::vector<uint32_t> kept_before(runs.size() + 1, 0);  // how many of the first i runs are kept
  for (size_t i = 0; i < runs.size(); ++i) {
    BlockView run = runs[i].Cut(range);
    if (!run.clip.Empty() && !(run.clip != runs[i].clip && ShowsNoEntry(run))) cut.runs.push_back(std::move(run));
    kept_before[i + 1] = static_cast<uint32_t>(cut.runs.size());
  }
  for (size_t i = FirstGotoAfter(gotos, range.lo); i < gotos.size() && gotos[i].link.range.lo < range.hi; ++i) {
    const Range part = gotos[i].link.range.Intersect(range);
    if (!part.Empty()) {
      cut.gotos.push_back(gotos[i].Cut(part));
      cut.gotos.back().over = kept_before[gotos[i].over];
    }
  }
  return cut;
}

void Partition::Append(Partition right) {
  const auto shift = static_cast<uint32_t>(runs.size());
  std::move(right.runs.begin(), right.runs.end(), std::back_inserter(runs));
  for (Goto& message : right.gotos) {
    message.over += shift;
    gotos.push_back(std::move(message));
  }
}

Partition Partition::Replace(std::string_view from, std::string_view to) const {
  Partition replaced;
  for (const BlockView& run : runs) replaced.runs.push_back(run.Replace(from, to));
  for (const Goto& message : gotos) {
    replaced.gotos.push_back({message.link.Replace(from, to), message.target_height, message.over});
  }
  return replaced;
}

}  // namespace betr::dag
