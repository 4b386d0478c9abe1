// SPDX-License-Identifier: Apache-2.0
#include "support/device/device_model.h"

#include <catch2/catch.hpp>

namespace betr {

RandomWrite MakeRandomWrite(Random& random, Bytes size, uint64_t max_blocks) {
  const uint64_t blocks = size / kBlockSize;
  const uint64_t first = random.Uniform(blocks);
  const uint64_t count = random.Between(1, std::min(max_blocks, blocks - first));
  const size_t length = static_cast<size_t>(count * kBlockSize.value);
  return {kBlockSize * first, random.OneIn(8) ? std::string(length, '\0') : random.String(length)};
}

std::string ReadAll(BlockDevice& device) {
  std::string contents(static_cast<size_t>(device.Size().value), 'x');
  const absl::Status status = device.Read(Bytes{0}, contents);
  INFO(status);
  REQUIRE(status.ok());
  return contents;
}

namespace {

void CompareRead(BlockDevice& device, const std::string& model, Random& random) {
  const size_t offset = random.Uniform(model.size());
  std::string out(random.Uniform(std::min<size_t>(model.size() - offset, 20000) + 1), 'x');
  REQUIRE(device.Read(Bytes{offset}, out).ok());
  REQUIRE((out == model.substr(offset, out.size())));
}

}  // namespace

void CompareWithModel(BlockDevice& device, std::string* model, Random& random, int steps) {
  for (int step = 0; step < steps; ++step) {
    if (random.OneIn(2)) {
      CompareRead(device, *model, random);
    } else if (random.OneIn(10)) {
      REQUIRE(device.Flush().ok());
    } else {
      const RandomWrite write = MakeRandomWrite(random, device.Size(), 8);
      REQUIRE(device.Write(write.offset, write.data).ok());
      model->replace(write.offset.value, write.data.size(), write.data);
    }
  }
  REQUIRE((ReadAll(device) == *model));
}

}  // namespace betr
