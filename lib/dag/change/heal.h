// SPDX-License-Identifier: Apache-2.0
// Healing merges neighbours that are small as seen through their edges, and drops levels that are not needed. It undoes
// what carving, erasing and wide clones leave behind. The papers do not describe it. Without it every clone whose LCA
// is the root would add a level for ever, and edges that show next to nothing would add up to full nodes.
//
// Two neighbours are merged if together they show at most 3/4 of a node, counted in live edges of interior children and
// in bytes of leaves. A node is split only when it has more than a whole. So nothing is split and merged again and
// again.
//
// Merging a shared child means copying what is shown of it. So, by default, only private children are merged. Shared
// ones are merged only where the levels above are otherwise not explained by what they hold:
//   - A root whose children together fit into one node takes their place (PutHealedRoot), if that copies little: at
//     most a 16th of a node. Otherwise a clone would copy what waits for its source twice over, and so would the next.
//   - While the whole tree is taller than it has to be (work.h, lower.h), shared children are merged too: by background
//     work, by compacting, and by clones that find a tall tree. They merge interior nodes if that copies little. If the
//     tree is several levels too tall, they merge interior nodes whatever that copies, and leaves if that copies at
//     most a quarter of a node.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "dag/change/child.h"
#include "dag/change/edit.h"
#include "dag/live.h"
#include "dag/node.h"
#include "dag/read/estimate.h"

namespace betr::dag {

enum class Sharing {
  kKeep,    // merge only children that are nobody else's
  kLittle,  // copy shared interior children where that copies little
  kBreak,   // copy shared children, interior ones whatever that copies
};

struct HealMode {
  Sharing sharing = Sharing::kKeep;
  Reach reach = Reach::kMemory;
};

// Whether the children of edges `index` and `index` + 1 of `node` may be merged. If so, merging finds nothing amiss
// with them. Reads at most two nodes, and only with Reach::kDisk.
absl::StatusOr<bool> Mergeable(const Edit& edit, const Node& node, size_t index, HealMode mode);

// Merges neighbouring children of edges [from, to) of `node`, and of the edges next to these, while they are small.
// Touches only the node and these children. Requires: the node is interior and the caller's alone.
absl::Status Heal(Edit& edit, Node& node, size_t from, size_t to, HealMode mode);
// All edges of `node`.
absl::Status Heal(Edit& edit, Node& node, HealMode mode);

// A tree with more levels above its leaves is not judged by what happens to be in memory: whatever changes its height
// reads the interior nodes that this takes. With a fanout of 16, that many levels of half-filled nodes have 260,000
// leaves.
inline constexpr Height kHeightToReadFor = 6;
// How far to look at a tree of this height to find out whether it may lose a level.
inline Reach ReachOf(Height height) { return height > kHeightToReadFor ? Reach::kDisk : Reach::kMemory; }

// Whether a root is a level too many. Either its children, as far as it shows them, are in memory and fit into one
// node, and merging them copies little. Or it has only one child, which is private or may be copied at any price
// (kBreak). In both cases what it buffers must be readable. The children of a tall root (ReachOf) are read.
bool LevelTooMany(const Edit& edit, const Node& root, Sharing sharing);

// Puts a root back, not taller than it has to be. Merges what is private and in memory, drops levels that are not
// needed, and splits the root if it still has too many edges. Reads nothing except the children of a tall root
// (ReachOf).
absl::StatusOr<NodeId> PutHealedRoot(Edit& edit, OwnChild root, Sharing sharing = Sharing::kLittle);

// Takes the root `id` out for a change by `news` bytes; the caller puts it back. Returns a copy if others name it too.
// If that copy would be large compared with the news, and the tree is not too tall, returns a node above it instead.
// The caller gives up its reference to `id` and gets that to the result. Cost: at most one read; for a tall tree as for
// SharingToLower.
absl::StatusOr<OwnChild> TakeRootFor(Edit& edit, NodeId id, Bytes news);

// The height that this much content explains: that of a tree of half-filled nodes.
Height ExplainedHeight(const Shape& shape, const TreeContent& content);

// The number of levels above that height that a tree may keep, if taking them off would copy what is shared. Each of
// them holds what was written between some clones, many times as much as the one above it (FindPlace in clone.h).
inline constexpr Height kLevelsBetweenClones = 2;
// What may be copied to lower a tree. kKeep if it is not taller than explained. kBreak if it is taller by more than
// those levels, or if next to nothing is left in it. kLittle otherwise. A leaf that is not in memory counts as
// half-filled. kKeep also if the estimate needs an interior node that is not in memory; those of a tall tree (ReachOf)
// are read.
Sharing SharingToLower(const Edit& edit, NodeId root);

}  // namespace betr::dag
