// SPDX-License-Identifier: Apache-2.0
// Images that a version of the library left, kept below tests/ as FILE.zst. Later versions must read them, as long as
// their format can be read (docs/format.md). With BETR_KEEP_IMAGES=1 in the environment, tests write them anew. Only a
// new format is a reason for that.
#pragma once

#include <string>

#include "device/block_device.h"
#include "device/page_map.h"

namespace betr::test {

bool KeepsImages();

// Keeps everything on the device. `file` is below tests/.
void KeepImage(const std::string& file, BlockDevice& device);

// Returns what was kept, for a MemoryDevice of that size. Fails the test if it cannot be read, or has another size.
PageMap ReadKeptImage(const std::string& file, Bytes size);

}  // namespace betr::test
