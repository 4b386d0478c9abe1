// SPDX-License-Identifier: Apache-2.0
// Puts records into a file system that are wrong by themselves or together: types, numbers, sizes, names, references,
// zones, lists, blocks without files.
#pragma once

#include <string>

#include "base/random.h"
#include "device/memory_device.h"

namespace betr::test {

// Changes records of the file system on a device at random, and says what.
std::string ForgeFiles(MemoryDevice& device, Random& random);

}  // namespace betr::test
