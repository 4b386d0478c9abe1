// SPDX-License-Identifier: Apache-2.0
// Where the structures of an image lie.
#pragma once

#include <string>
#include <vector>

#include "device/memory_device.h"

namespace betr::test {

struct Structure {
  // Pieces of a scattered node are blocks, whatever is in them.
  enum class Kind : uint8_t {
    kSuperblock,
    kCatalog,
    kTablePage,
    kNodeHeader,
    kBlocks,
    kLog,
    kSuperblockCopy,
    kExtentMap,
  };
  Kind kind = Kind::kSuperblock;
  std::string name;
  Bytes offset{0};
  Bytes size{0};    // of its content; padding follows
  Bytes extent{0};  // of the space that it has
  uint64_t id = 0;  // of a node; the first id of a page
};

// Returns all structures that the newest superblock names, both superblocks and their copy, and the frames of the log
// that are to be replayed.
std::vector<Structure> StructuresOf(MemoryDevice& device);

}  // namespace betr::test
