// SPDX-License-Identifier: Apache-2.0
// Which operations of a trace have to be done in its order, when its threads run at the same time. An operation needs
// things of the file system, each in one of three ways. Two operations may change places unless they need the same
// thing in different ways, or one of them needs it alone:
//
//   thread    alone: what one thread does stays in order. A fork needs parent and child, a wait the waiter and the
//             child: so a child begins after what its parent did before, and who waited goes on after it.
//   file      (an open file) alone to open and close it, to use its position, and to list it; else shared
//   node      alone to make, name, change, forget or learn it, and to write behind its end; shared to look at it, read
//             it, write within it, and to use a name in it
//   name      (in a directory) alone to make, remove or rename it; shared to follow it, or to find nothing there
//   entries   (of a directory) for names: shared among those who make and remove names; for listing: shared among those
//   tree      alone to rename a directory, since all paths below it become other ones; shared for everything else
//
// With that each operation finds what it found in the trace: what is compared does not depend on anything else. Two
// writes within a file may change places, because contents depend on the place only. Pure.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <utility>

#include "replay/operation.h"
#include "replay/process_event.h"

namespace betr::replay {

enum class Access : uint8_t { kShared, kNames, kAlone };

constexpr bool Excludes(Access one, Access other) { return one != other || one == Access::kAlone; }

struct Resource {
  enum class Kind : uint8_t { kThread, kFile, kNode, kName, kEntries, kTree };
  Kind kind = Kind::kTree;
  uint64_t number = 0;
  uint64_t name = 0;  // a hash: two names that have the same are kept in order without need

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

// Each resource once.
Needs NeedsOf(const Operation& operation);
Needs NeedsOf(const ProcessEvent& event);

// Whether what has `later` must wait for what has `earlier`.
bool MustWait(const Needs& later, const Needs& earlier);

}  // namespace betr::replay
