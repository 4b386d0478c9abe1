// SPDX-License-Identifier: Apache-2.0
// Random nodes that keep every invariant that a node alone can show, and a description that is equal for equal nodes.
#pragma once

#include <memory>
#include <string>

#include "base/random.h"
#include "dag/node.h"

namespace betr::layout {

// Returns a few bytes of a small alphabet (with zero and 0xff), so that prefixes are common.
std::string RandomKey(Random& random, size_t max_size);

// Returns a block of up to `max_entries` entries. `points`: puts only, as leaves have them, or any messages.
enum class Points : uint8_t { kPuts, kAny };
std::shared_ptr<const dag::Block> RandomBlock(Random& random, size_t max_entries, Points points);

struct NodeSizes {
  size_t edges = 6;     // or basements
  size_t items = 4;     // runs and gotos of a partition
  size_t entries = 20;  // of a block
};

dag::Node RandomNode(Random& random, dag::Height height, const NodeSizes& sizes = {});

// Describes everything in a node, including the contents of blocks: equal for equal nodes. Loads the blocks.
std::string Describe(const dag::Node& node);

}  // namespace betr::layout
