// SPDX-License-Identifier: Apache-2.0
// Sound random structures.
#pragma once

#include "base/random.h"
#include "layout/catalog_codec.h"
#include "layout/superblock.h"

namespace betr::layout {

// Every field has a value of its own.
Superblock RandomSuperblock(Random& random);

Catalog RandomCatalog(Random& random, size_t max_trees);

}  // namespace betr::layout
