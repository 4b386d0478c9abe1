// SPDX-License-Identifier: Apache-2.0
// Healing: joining neighbours that are small as seen through their edges, and dropping levels that are not needed.
// It takes back what carving, erasing and wide clones leave behind. The papers leave this out; without it every
// clone whose LCA is the root adds a level for ever, and edges that show next to nothing add up to full nodes.
//
// Two neighbours are joined if together they show at most 3/4 of a node: live edges of interior children, bytes of
// leaves. A node is split when it has more than a whole, so that nothing is split and joined again and again.
//
// Joining a shared child means to copy it, though only what is shown of it. So by default only private children are
// joined; those that are shared only where the levels above are otherwise not explained by what they hold:
//   - a root whose children together fit into one node takes their place (PutHealedRoot), if that copies at most a
//     quarter of a node;
//   - background work, compacting, and clones that find a tall tree join shared ones too while the whole tree is taller
//     than it has to be (work.h, lower.h): interior nodes whatever that copies, leaves, which are most of the space, if
//     it is at most a quarter of a node.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "dag/child.h"
#include "dag/edit.h"
#include "dag/estimate.h"
#include "dag/live.h"
#include "dag/node.h"

namespace betr::dag {

enum class Sharing {
  kKeep,   // join only children that are nobody else's
  kBreak,  // copy shared children
};

struct HealMode {
  Sharing sharing = Sharing::kKeep;
  Reach reach = Reach::kMemory;
};

// Whether edges `index` and `index` + 1 of `node` may be joined: then Join will find nothing amiss with the children.
// Reads at most two nodes, and only with Reach::kDisk.
absl::StatusOr<bool> Joinable(const Edit& edit, const Node& node, size_t index, HealMode mode);

// Joins neighbouring edges [from, to) of `node`, and those next to them, while they are small. Touches the node and
// these children. Requires: the node is the caller's alone; interior.
absl::Status Heal(Edit& edit, Node& node, size_t from, size_t to, HealMode mode);
// All edges of `node`.
absl::Status Heal(Edit& edit, Node& node, HealMode mode);

// A tree with more levels above its leaves is not judged by what happens to be in memory: whoever changes its height
// reads what that takes, of interior nodes. With a fanout of 16, so many levels of half-filled nodes have 260,000
// leaves.
inline constexpr Height kHeightToReadFor = 6;
// How far one looks at a tree of a height to see whether it may lose a level.
inline Reach ReachOf(Height height) { return height > kHeightToReadFor ? Reach::kDisk : Reach::kMemory; }

// Whether a root has a level too many: its children, as far as it shows them, are in memory and fit into one node, and
// joining them copies little. What it buffers then can be read, too. Of a tall root (ReachOf) the children are read.
bool LevelTooMany(const Edit& edit, const Node& root);

// Puts a root back, not taller than it has to be: joins what is private and in memory, drops levels that are not
// needed, and splits it if it has too many edges still. Reads nothing, but the children of a tall root (ReachOf).
absl::StatusOr<NodeId> PutHealedRoot(Edit& edit, OwnChild root);

// The height that so much content is allowed without question: that of a tree of half-filled nodes.
Height ExplainedHeight(const Shape& shape, const RangeEstimate& content);
// Whether the tree is taller than that. A leaf that is not in memory counts as half-filled. False if an interior node
// that an estimate looks at is not in memory; those of a tall tree (ReachOf) are read.
bool TallerThanExplained(const Edit& edit, NodeId root);

}  // namespace betr::dag
