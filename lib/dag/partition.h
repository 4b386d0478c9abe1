// SPDX-License-Identifier: Apache-2.0
// A partition is what a node buffers for one of its edges: sorted runs of point messages, oldest first, and gotos.
//
// Invariants
//   1. Everything lies inside the range of the edge that the partition belongs to.
//   2. Gotos are sorted by range and do not overlap: a newer goto cuts what it covers out of the older ones.
//   3. Of two messages for one key that in the later run is newer: order is position, so no message stores a
//      sequence number.
//   4. A goto supersedes, in its range, runs [0, over) of the partition, the edge, and all that lies below it.
//      Runs from `over` on are newer than the goto.
//   5. A goto with a target holds one reference to it. An erase_range is a goto without a target.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "dag/link.h"
#include "dag/view.h"

namespace betr::dag {

// Distance to the leaves: a leaf has height 0.
using Height = uint8_t;
inline constexpr Height kMaxHeight = 200;

struct Goto {
  Link link;
  Height target_height = 0;  // 0 without a target
  uint32_t over = 0;

  friend bool operator==(const Goto&, const Goto&) = default;
  bool Erases() const { return link.Null(); }
  Goto Cut(const Range& part) const { return {link.Cut(part), target_height, over}; }
};

struct Partition {
  std::vector<BlockView> runs;
  std::vector<Goto> gotos;

  friend bool operator==(const Partition&, const Partition&) = default;
  bool Empty() const { return runs.empty() && gotos.empty(); }
  // Buffered bytes, gotos included; an upper bound where views are clipped.
  Bytes Size() const;

  // The goto that covers the key; null if none.
  const Goto* Covering(std::string_view key) const;

  // What lies inside `range`. Holds no new references: count the targets of its gotos if the original stays.
  Partition Cut(const Range& range) const;
  // Adds the messages of a partition that lies behind this one.
  void Append(Partition right);
  // The same messages after the prefix `from` of the space, which all of them have, became `to`.
  Partition Replace(std::string_view from, std::string_view to) const;
  Partition Strip(std::string_view prefix) const { return Replace(prefix, ""); }
};

// The index of the first goto whose range ends after `bound`; gotos.size() if none. O(log n).
size_t FirstGotoAfter(const std::vector<Goto>& gotos, const Bound& bound);

// Bytes that a goto counts for when buffered: keys, translation and header.
Bytes GotoSize(const Goto& message);

}  // namespace betr::dag
