// SPDX-License-Identifier: Apache-2.0
// Whether there is space for what is in memory. Nothing enters memory, and no structural change is published, after
// which a checkpoint might not find its space. Only units are counted (layout/space_map.h).
//
// What a checkpoint needs: the dirty nodes, which are promised their units; the roots that the message buffers go into,
// with the buffers; the pages of the node table; the catalog.
//
// Besides, a reserve is kept, and who asks decides how much of it must be left:
//   kWrite   all of it        what callers write
//   kGrow    three quarters   background work that makes the store larger
//   kDelete  half             what callers delete; moving to where they free something what deletes left on the way
//   kHelp    a quarter        work that makes the store larger, but that a delete waits for
//   kReplace three sixteenths erases that take the place of such as wait already (erase_residue.h)
//   kSettle  a sixteenth      moving to where they free something what a delete left on the way, if one waits for that
//   kFree    a 32nd           deletes that leave nothing behind for good; the same work, if such a one waits for it
//   kShrink  nothing          work that makes the store smaller; and replay: what it replays was let in once, and there
//                             is nobody to refuse it to
// Those parts are of what was free when the store was opened, if that was less: an image that is full already may be
// given a larger reserve, which keeps out writes until there is so much, but must not keep out deletes.
// Who writes leaves room, too, for what the messages that wait in interior nodes take more as entries: leaves are not
// full, and end with a unit that is not. Nodes of megabytes need next to nothing for that, nodes of 4 KiB more than the
// messages take. So nothing that was written before is in the way of deletes.
//
// So deletes find room for their messages whatever was written, and the work that moves them to where they free
// something finds room whatever was deleted. What is done for any delete (kHelp, kSettle) leaves room besides for a
// batch to the trees with the largest roots, which a delete makes anew: so one that leaves nothing behind finds room
// after it.
//
// Threads: any. Cost, beside any number of trees: O(trees that a batch writes to), or if space is short O(trees with
// buffered messages).
#pragma once

#include <cstdint>
#include <map>

#include "dag/edit.h"
#include "store/core.h"
#include "store/fronts.h"
#include "store/state.h"

namespace betr::store {

enum class Purpose : uint8_t { kWrite, kGrow, kDelete, kHelp, kReplace, kSettle, kFree, kShrink };

// What is going to be buffered in front of trees. Promised from before it is checked until it is there, so that no step
// of background work overlooks it.
class Pledge {
 public:
  // Bytes of messages. `space` outlives this.
  Pledge(layout::SpaceMap& space, std::map<TreeId, Bytes> messages);
  ~Pledge();
  Pledge(const Pledge&) = delete;
  Pledge& operator=(const Pledge&) = delete;

  const std::map<TreeId, Bytes>& messages() const { return messages_; }
  uint64_t units() const { return units_; }
  Bytes Size() const;

 private:
  layout::SpaceMap& space_;
  const std::map<TreeId, Bytes> messages_;
  uint64_t units_ = 0;
};

// Errors: kResourceExhausted.
absl::Status CheckHeadroom(const Core& core, const Fronts& fronts, const State& state, Purpose purpose,
                           const Pledge* pledge = nullptr);

// Units that a checkpoint needs besides what is promised, with what is pledged. Cost: O(trees with buffered messages).
uint64_t CheckpointUnits(const Core& core, const Fronts& fronts, const State& state, const Pledge* pledge = nullptr);
// As many or more, seen from what the roots took when they were counted last, and by how much that can have grown.
// Cost: O(trees of the pledge).
uint64_t CheckpointUnitsAtMost(const Core& core, const Fronts& fronts, const State& state,
                               const Pledge* pledge = nullptr);
// Counts the roots anew. Cost: O(trees with buffered messages).
void CountRoots(const Fronts& fronts);

// The units that what callers write may take in the end before CheckHeadroom refuses it: what is left when all that
// is buffered has found its place, beside the reserve and what a checkpoint needs for a batch to two trees with full
// roots. Less while what was replaced since the last checkpoint keeps its space. Cost: O(1); O(nodes) if much waits in
// interior nodes, once while as much as a share of the image is written.
uint64_t UnitsForWriting(const Core& core, const Fronts& fronts, const State& state);

// What a new entry of so many bytes, key and value, takes in the end, if nothing compresses: at most, on the average of
// many, its share of the nodes' headers and of what rounding leaves of them included.
Bytes SpaceOfEntry(Bytes node_size, uint32_t fanout, Bytes entry);

// The messages that wait in interior nodes of a state: at most, if some are not in memory. Cost: O(nodes).
Bytes WaitingIn(const State& state);

// Whether they are so many that a writer who finds no space should have them all moved to where they belong.
bool ManyWait(const Core& core, const State& state);

// Whether an edit makes the store larger, dead nodes not counted, or leaves less to those who write: they make roots
// anew that have become larger.
bool Grows(const Core& core, const State& before, const State& after, const dag::Edit& edit);

// The reserve of an image: what was asked for, but no less than a full store needs.
Bytes ReserveOf(const layout::Superblock& superblock);
// As much of it as is free in the state that was found, beside what a checkpoint needs; no less than a full store
// needs.
Bytes ReserveAtHand(const Core& core, const State& state);

}  // namespace betr::store
