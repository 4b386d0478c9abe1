// SPDX-License-Identifier: Apache-2.0
// What readers see: the current state, and in front of each tree's root the message buffers that have not been absorbed
// into it yet. Everything here is short: no I/O, no surgery. Pin, and what each write asks for, do not look at all
// trees.
//
// Invariants
//   1. State and buffers change together: a reader sees each batch whole or not at all.
//   2. Of two sealed buffers of a tree, the one that was sealed later is newer. The active buffer is the newest.
//   3. A tree has a front if its buffers hold anything.
//   4. The layers of views are kept for trees whose buffers have not changed since the last view. They are kept for no
//      others, since that would keep memory that nobody reads.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/persistent_map.h"
#include "betr/upsert.h"
#include "betr/write_batch.h"
#include "dag/change/message_buffer.h"
#include "store/state.h"

namespace betr::store {

// A buffer that is full and never changes again.
struct SealedBuffer {
  dag::MessageBuffer messages;
  std::shared_ptr<const dag::Layer> image;
  uint64_t order;  // of sealing, among those of all trees
};
using SealedPtr = std::shared_ptr<const SealedBuffer>;

using Layers = std::vector<std::shared_ptr<const dag::Layer>>;  // newest first

// A consistent view of all trees.
struct View {
  StatePtr state;
  PersistentMap<TreeId, Layers> layers;  // of trees that have any

  const Layers& LayersOf(TreeId tree) const;
};

// Whether a change changes the nodes themselves, besides other trees' buffers. Otherwise it is a message for the buffer
// of its tree.
bool IsStructural(const Op& op);
// Whether a change is a structural one that clones a prefix.
bool IsClone(const Op& op);
// Adds a change to a buffer. Requires: the change is not structural.
void BufferOp(const Op& op, dag::MessageBuffer& buffer);

// A structural change to be published.
struct Change {
  StatePtr state = nullptr;
  std::map<TreeId, size_t> absorbed = {};             // how many of the oldest sealed buffers are now in the state
  std::set<TreeId> emptied = {};                      // trees whose buffers are in the state altogether
  std::map<TreeId, dag::MessageBuffer> replace = {};  // the active buffers of emptied trees from now on
  std::vector<const Op*> apply = {};                  // point and range operations for the buffers of other trees
};

// Thread-safe. The caller serialises writers (write_path.cc), and structural writers as well (structure.h).
class Fronts {
 public:
  Fronts(const UpsertRegistry& functions, StatePtr state) : functions_(functions), state_(std::move(state)) {}

  StatePtr state() const;
  // Makes a view. Cost: O(trees that changed since the last view).
  std::shared_ptr<const View> Pin();
  // Whether anybody, as a rule a reader, still holds a state that was replaced, other than `but`, or is just letting it
  // go. Until then, what was given up since keeps its space.
  bool IsOlderHeld(const StatePtr& but) const;
  // Looks a key up in the buffers, and returns the state of the same instant for the rest. kNotFound: no such tree.
  absl::StatusOr<StatePtr> LookUp(TreeId tree, std::string_view key, dag::ValueBuilder& value) const;

  // Applies puts, erases, upserts and range erases of existing trees.
  void Apply(std::span<const Op> ops);
  // Seals active buffers of at least `limit` bytes, and then the largest ones until those that are left have less than
  // that together: many trees with a little each must not fill the memory with what nobody absorbs. Returns whether any
  // buffer was sealed. Cost if so: O(trees that have any).
  bool SealLarge(Bytes limit);
  // Seals the active buffer of a tree if it holds anything, and returns all of its sealed buffers, oldest first.
  std::vector<SealedPtr> SealAll(TreeId tree);
  // Returns the oldest sealed buffer of all trees, so that each tree has its turn.
  std::optional<std::pair<TreeId, SealedPtr>> OldestSealed() const;

  void Publish(Change change);

  // The roots behind the buffers, when somebody has counted them (headroom.cc).
  struct Counted {
    uint64_t units = 0;  // RootUnitsBound of busy trees
    uint64_t risen = 0;  // of the state that has the roots
    uint64_t come = 0;   // Together::come, or less
  };
  // The totals of all buffers.
  struct Together {
    Bytes size{0};
    Bytes active{0};    // of that, not sealed
    size_t sealed = 0;  // buffers
    size_t trees = 0;
    uint64_t come = 0;  // RootUnitsBound of trees when their first message came, of all that ever became busy
    Counted counted;
  };
  Together All() const;
  void Remember(const Counted& counted) const;

  // The bytes in the buffers of each tree that has any.
  std::map<TreeId, Bytes> Sizes() const;
  // The bytes in all buffers.
  Bytes Size() const { return All().size; }
  // The number of sealed buffers of all trees.
  size_t SealedCount() const { return All().sealed; }
  // The trees whose buffers hold anything; whether those of one tree do.
  std::vector<TreeId> Busy() const;
  bool IsBusy(TreeId tree) const;

 private:
  struct Front {
    explicit Front(const UpsertRegistry& functions) : active(functions) {}
    dag::MessageBuffer active;
    std::deque<SealedPtr> sealed;  // oldest first
  };
  // A tree's front, which will change.
  Front& Changing(TreeId tree) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ApplyOne(const Op& op) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Seal(TreeId tree) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the oldest sealed buffer out.
  SealedPtr TakeSealed(Front& front) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remove(TreeId tree) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static Layers LayersOf(Front& front);

  const UpsertRegistry& functions_;
  mutable SharedMutex mutex_;
  StatePtr state_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<const char>> replaced_ ABSL_GUARDED_BY(mutex_);  // that were there at the last change
  std::map<TreeId, Front> fronts_ ABSL_GUARDED_BY(mutex_);
  uint64_t seals_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, TreeId> sealed_ ABSL_GUARDED_BY(mutex_);  // all sealed buffers, by their order
  mutable Together all_ ABSL_GUARDED_BY(mutex_);               // but for `trees`
  std::set<TreeId> changed_ ABSL_GUARDED_BY(mutex_);           // since the last view; they have a front
  PersistentMap<TreeId, Layers> layers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::store
