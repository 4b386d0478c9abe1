// SPDX-License-Identifier: Apache-2.0
// Tells which operations of a trace must keep its order when its threads run at the same time. An operation needs
// things of the file system, each in one of three ways. Two operations may change places, unless they need the same
// thing in different ways or one of them needs it alone:
//
//   thread    alone: what one thread does stays in order. A fork needs parent and child; a wait needs the waiter and
//             the child. So a child begins after what its parent did before, and the waiter goes on after the child.
//   file      (an open file) alone to open or close it, to use its position, or to list it; otherwise shared
//   node      alone to make, name, change, forget or learn it, and to write behind its end; shared to look at it, read
//             it, write within it, and to use a name in it
//   name      (in a directory) alone to make, remove or rename it; shared to follow it, or to find nothing there
//   entries   (of a directory) shared in two ways: among those that make and remove names, and among those that list
//   tree      alone to rename a directory, since all paths below it change; shared for everything else
//
// So each operation finds what it found in the trace, and nothing else matters to what is compared. Two writes within a
// file may change places, because contents depend only on the place. Pure.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <utility>

#include "replay/interpret/operation.h"
#include "replay/trace/process_event.h"

namespace betr::replay {

enum class Access : uint8_t { kShared, kNames, kAlone };

constexpr bool Excludes(Access one, Access other) { return one != other || one == Access::kAlone; }

struct Resource {
  enum class Kind : uint8_t { kThread, kFile, kNode, kName, kEntries, kTree };
  Kind kind = Kind::kTree;
  uint64_t number = 0;
  uint64_t name = 0;  // a hash: two names with the same hash are kept in order needlessly

  friend bool operator==(const Resource&, const Resource&) = default;
  template <class H>
  friend H AbslHashValue(H state, const Resource& resource) {
    return H::combine(std::move(state), resource.kind, resource.number, resource.name);
  }
};

struct Need {
  Resource resource{};
  Access access = Access::kShared;
};
using Needs = absl::InlinedVector<Need, 12>;

// Returns what an operation needs, each resource once.
Needs NeedsOf(const Operation& operation);
Needs NeedsOf(const ProcessEvent& event);

// Whether an operation that needs `later` must wait for one that needs `earlier`.
bool MustWait(const Needs& later, const Needs& earlier);

}  // namespace betr::replay
