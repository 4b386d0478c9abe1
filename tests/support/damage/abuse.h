// SPDX-License-Identifier: Apache-2.0
// All that programs do with an image, done to one that somebody has made who means harm. Whatever comes of it, nothing
// ends the program, or takes time or memory without bounds.
#pragma once

#include "base/random.h"
#include "device/memory_device.h"

namespace betr::test {

// Opens the store read-only and reads; opens it to write, changes all kinds of things, closes it and opens it again.
void AbuseStore(MemoryDevice& device, Random& random);
// Mounts what there is, if it is a file system, walks, reads and changes it.
void AbuseFiles(MemoryDevice& device, Random& random);
// Runs fsck.betr, which must leave nothing to be found after -y.
void AbuseChecker(MemoryDevice& device, Random& random);
// Runs betrdump and betrcp.
void AbuseTools(MemoryDevice& device, Random& random);

}  // namespace betr::test
