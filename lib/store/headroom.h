// SPDX-License-Identifier: Apache-2.0
// Whether there is space for what is in memory. Nothing enters memory, and no structural change is published, after
// which a checkpoint might not find its space.
//
// What a checkpoint needs: the dirty nodes, which are promised their space (layout/space_map.h); the roots that the
// message buffers go into, with the buffers; the pages of the node table; the catalog. Callers' writes leave the
// reserve besides, so that flushes, deletes and drops have something to work with.
//
// Threads: any. Cost: O(trees with buffered messages), more when space is scarce (SpaceMap::Fits).
#pragma once

#include <map>

#include "layout/space_map.h"
#include "store/core.h"
#include "store/fronts.h"
#include "store/state.h"

namespace betr::store {

// Errors: kResourceExhausted. `more`: what is going to be buffered in front of trees, in bytes of messages.
absl::Status CheckHeadroom(const Core& core, const Fronts& fronts, const State& state, layout::Privilege privilege,
                           const std::map<TreeId, Bytes>& more = {});

// The least that can be free and still let nodes of this size be flushed, split and reclaimed.
Bytes WorkReserve(Bytes area, Bytes node_size);

}  // namespace betr::store
