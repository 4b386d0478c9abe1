// SPDX-License-Identifier: Apache-2.0
// Healing: merging neighbours that are small as seen through their edges, and dropping levels that are not needed.
// It takes back what carving, erasing and wide clones leave behind. The papers leave this out; without it every
// clone whose LCA is the root adds a level for ever, and edges that show next to nothing add up to full nodes.
//
// Two neighbours are merged if together they show at most 3/4 of a node: live edges of interior children, bytes of
// leaves. A node is split when it has more than a whole, so that nothing is split and merged again and again.
//
// Merging a shared child means to copy it, though only what is shown of it. So by default only private children are
// merged; those that are shared only where the levels above are otherwise not explained by what they hold:
//   - a root whose children together fit into one node takes their place (PutHealedRoot), if that copies little: at
//     most a 16th of a node. A clone would copy what waits for its source twice over otherwise, and the next one that
//     again;
//   - background work, compacting, and clones that find a tall tree merge shared ones too while the whole tree is
//   taller
//     than it has to be (work.h, lower.h): interior nodes if that copies little. If it is several levels too tall,
//     interior nodes whatever that copies, and leaves if it copies at most a quarter of a node.
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
  kKeep,    // merge only children that are nobody else's
  kLittle,  // copy shared interior children where that copies little
  kBreak,   // copy shared children, interior ones whatever that copies
};

struct HealMode {
  Sharing sharing = Sharing::kKeep;
  Reach reach = Reach::kMemory;
};

// Whether edges `index` and `index` + 1 of `node` may be merged: then Merge will find nothing amiss with the children.
// Reads at most two nodes, and only with Reach::kDisk.
absl::StatusOr<bool> Mergeable(const Edit& edit, const Node& node, size_t index, HealMode mode);

// Merges neighbouring edges [from, to) of `node`, and those next to them, while they are small. Touches the node and
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
// merging them copies little; or it has but one, nobody else's or to be copied at any price (kBreak). What it buffers
// then can be read, too. Of a tall root (ReachOf) the children are read.
bool LevelTooMany(const Edit& edit, const Node& root, Sharing sharing);

// Puts a root back, not taller than it has to be: merges what is private and in memory, drops levels that are not
// needed, and splits it if it has too many edges still. Reads nothing, but the children of a tall root (ReachOf).
absl::StatusOr<NodeId> PutHealedRoot(Edit& edit, OwnChild root, Sharing sharing = Sharing::kLittle);

// The node `id` to be changed by `news`, for whoever puts it back: a copy if others name it too, or a node above it if
// that copy would be much beside the news, and the tree is not too tall. The caller gives up its reference to `id` and
// gets the one of the result. At most one read; of a tall tree as SharingToLower.
absl::StatusOr<OwnChild> TakeRootFor(Edit& edit, NodeId id, Bytes news);

// The height that so much content is allowed without question: that of a tree of half-filled nodes.
Height ExplainedHeight(const Shape& shape, const TreeContent& content);

// So many levels above that are left to a tree where taking them off would copy what is shared: each holds what has
// been written between some clones, and many times as much as the one above it (FindPlace in clone.h).
inline constexpr Height kLevelsBetweenClones = 2;
// What may be copied to lower a tree: kKeep if it is not taller than explained; kBreak if by more levels than those, or
// if next to nothing is left in it. A leaf that is not in memory counts as half-filled. kKeep if an interior node that
// an estimate looks at is not in memory; those of a tall tree (ReachOf) are read.
Sharing SharingToLower(const Edit& edit, NodeId root);

}  // namespace betr::dag
