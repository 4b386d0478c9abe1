// SPDX-License-Identifier: Apache-2.0
// Whether there is space for what is in memory. Nothing enters memory, and no structural change is published, if a
// checkpoint might afterwards not find its space. Only units are counted (layout/space_map.h).
//
// A checkpoint needs space for the dirty nodes, which are promised their units; for the roots that the message buffers
// go into, with the buffers; for the pages of the node table; and for the catalog.
//
// In addition a reserve is kept. The purpose of a request decides how much of the reserve must be left:
//   kWrite   all of it        what callers write
//   kGrow    three quarters   background work that makes the store larger
//   kDelete  half             what callers delete; moving what deletes left on the way to where it frees something
//   kHelp    a quarter        work that makes the store larger, but for which a delete waits
//   kReplace three sixteenths erases that replace erases that wait already (erase_residue.h)
//   kSettle  a sixteenth      moving what a delete left on the way to where it frees something, if a delete waits for
//                             that
//   kFree    a 32nd           deletes that leave nothing behind for good; the work of kSettle, if such a delete waits
//                             for it
//   kShrink  nothing          work that makes the store smaller; replay, since what it replays was let in once, and
//                             there is nobody to refuse it to
// If less than the reserve was free when the store was opened, all parts but that of kWrite are of what was free then.
// A full image may be given a larger reserve: that keeps out writes until so much is free, but must not keep out
// deletes.
//
// Writes also leave room for what the messages in interior nodes will take more once they are entries: leaves are not
// full, and end with a partly used unit. Nodes of megabytes need next to nothing for that; nodes of 4 KiB need more
// than the messages take. So nothing that was written before gets in the way of deletes.
//
// Hence deletes find room for their messages, whatever was written, and the work that moves them to where they free
// something finds room, whatever was deleted. What is done for any delete (kHelp, kSettle) also leaves room for a batch
// to the trees with the largest roots, which a delete makes anew. So a delete that leaves nothing behind finds room
// after it. Work of kFree leaves no such room, so it is done only for such a delete, never for one of kReplace.
//
// Threads: any. Cost: O(trees that a batch writes to) or, if space is short, O(trees with buffered messages), whatever
// the number of trees.
#pragma once

#include <cstdint>
#include <map>

#include "dag/change/edit.h"
#include "store/core.h"
#include "store/fronts.h"
#include "store/state.h"

namespace betr::store {

enum class Purpose : uint8_t { kWrite, kGrow, kDelete, kHelp, kReplace, kSettle, kFree, kShrink };

// A promise of space for what is going to be buffered in front of trees. It holds from before the check until the
// messages are buffered, so that no step of background work overlooks them.
class Pledge {
 public:
  // `messages`: bytes of messages for each tree. `space` must outlive this object.
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

// Checks that there is space for `purpose`. Errors: kResourceExhausted.
absl::Status CheckHeadroom(const Core& core, const Fronts& fronts, const State& state, Purpose purpose,
                           const Pledge* pledge = nullptr);

// Returns the units that a checkpoint needs besides those promised, including the pledge. Cost: O(trees with buffered
// messages).
uint64_t CheckpointUnits(const Core& core, const Fronts& fronts, const State& state, const Pledge* pledge = nullptr);
// Returns as many units or more. Computed from what the roots took at the last count, and from how much that can have
// grown since. Cost: O(trees of the pledge).
uint64_t CheckpointUnitsAtMost(const Core& core, const Fronts& fronts, const State& state,
                               const Pledge* pledge = nullptr);
// Counts the roots anew. Cost: O(trees with buffered messages).
void CountRoots(const Fronts& fronts);

// Returns the units that callers' writes may take in the end before CheckHeadroom refuses them. That is what is left
// when everything buffered has found its place, beside the reserve and what a checkpoint needs for a batch to two trees
// with full roots. It is less while what was replaced since the last checkpoint keeps its space. Cost: O(1). If much
// waits in interior nodes, O(nodes), once while a certain share of the image is written.
uint64_t UnitsForWriting(const Core& core, const Fronts& fronts, const State& state);

// Returns the most that a new entry of this many bytes (key and value) takes in the end, on the average of many, if
// nothing compresses. Includes its share of the headers of nodes and of what rounding leaves unused.
Bytes SpaceOfEntry(Bytes node_size, uint32_t fanout, Bytes entry);

// Returns the bytes of messages that wait in interior nodes of a state; an upper bound if some nodes are not in memory.
// Cost: O(nodes).
Bytes WaitingIn(const State& state);

// Whether there are so many that a writer that finds no space should have all of them moved to where they belong.
bool ManyWait(const Core& core, const State& state);

// Whether an edit makes the store larger, not counting dead nodes, or leaves less space to writers, which make roots
// anew that have become larger.
bool Grows(const Core& core, const State& before, const State& after, const dag::Edit& edit);

// Returns the reserve of an image: what was asked for, but no less than a full store needs.
Bytes ReserveOf(const layout::Superblock& superblock);
// Returns as much of it as is free in the state that was found, beside what a checkpoint needs, but no less than a full
// store needs.
Bytes ReserveAtHand(const Core& core, const State& state);

}  // namespace betr::store
