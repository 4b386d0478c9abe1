// SPDX-License-Identifier: Apache-2.0
// The oracle for every device: a plain string, and random operations that are done to both.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "device/block_device.h"

namespace betr {

// A whole number of blocks of random bytes, now and then of zeros; and a block-aligned place for it in `size`.
struct RandomWrite {
  Bytes offset;
  std::string data;
};
RandomWrite MakeRandomWrite(Random& random, Bytes size, uint64_t max_blocks);

// Returns all bytes of the device. Fails the test on an error.
std::string ReadAll(BlockDevice& device);

// Does `steps` random reads, writes and flushes on a device with the contents `*model`. Compares after each read and at
// the end.
void CompareWithModel(BlockDevice& device, std::string* model, Random& random, int steps);

}  // namespace betr
