// SPDX-License-Identifier: Apache-2.0
// The decisions in which earlier versions of BetrFS differ from betr, so that they can be compared on one code base. By
// default each is made as docs/dag.md says; docs/ablations.md describes the alternatives. None of them changes what a
// tree says, only what it costs. So nodes can be worked on by one policy after another.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <span>

#include "dag/bound.h"

namespace betr::dag {

class Edit;
struct Node;

// Where a node that is too large may be split: before item `item`, at `bound`, with `weight` of its items before it.
struct SplitPlace {
  size_t item;
  const Bound* bound;
  uint64_t weight;

  // How far it is from the middle of all the weight.
  uint64_t FromCentre(uint64_t total) const { return weight > total / 2 ? weight - total / 2 : total / 2 - weight; }
};

// Preferential splitting: the place with the shortest bound in the middle half of the weight; nearest the centre among
// equals; the one nearest the centre if none lies in the middle half. Requires: there are places.
const SplitPlace& ShortestSeparator(std::span<const SplitPlace> places, uint64_t total);

// Moves nothing before a node is over-full: copy-on-abundant-write.
inline std::optional<size_t> WaitForAbundance(const Edit& /*edit*/, const Node& /*node*/) { return std::nullopt; }

// Leaves range messages to background work.
inline absl::Status LeaveBuffered(Edit& /*edit*/, Node& /*root*/, const Range& /*range*/) { return absl::OkStatus(); }

struct Policy {
  // Which place of a node that is too large is taken.
  const SplitPlace& (*split)(std::span<const SplitPlace> places, uint64_t total) = ShortestSeparator;
  // An edge that is flushed although its node, which is nobody else's, is not over-full.
  std::optional<size_t> (*flush_at_once)(const Edit& edit, const Node& node) = WaitForAbundance;
  // What is done when a clone, or the range erase of a rename, over `range` has arrived at a root that is the caller's
  // alone. Errors: the source's; the edit must then be dropped.
  absl::Status (*after_goto)(Edit& edit, Node& root, const Range& range) = LeaveBuffered;
};

inline constexpr Policy kUsualPolicy;

}  // namespace betr::dag
