// SPDX-License-Identifier: Apache-2.0
// Images that a version of the library has left, kept below tests/ as FILE.zst: later versions must read them, as long
// as their format is one that can be read (docs/format.md). With BETR_KEEP_IMAGES=1 in the environment tests write them
// anew, which only a new format is a reason for.
#pragma once

#include <string>

#include "device/block_device.h"
#include "device/page_map.h"

namespace betr::test {

bool KeepsImages();

// Keeps all that is on the device. `file`: below tests/.
void KeepImage(const std::string& file, BlockDevice& device);

// What was kept, for a MemoryDevice of that size. Fails the test if it cannot be read, or is of another size.
PageMap ReadKeptImage(const std::string& file, Bytes size);

}  // namespace betr::test
