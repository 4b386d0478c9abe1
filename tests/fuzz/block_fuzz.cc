// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "base/checksum.h"
#include "fuzz/fuzz.h"
#include "layout/stored_block.h"
#include "support/layout/random_node.h"

namespace betr::layout {
namespace {

// A block that was accepted must bear being read.
void ReadAll(const dag::Block& block) {
  dag::BlockBuilder builder;
  for (size_t i = 0; i < block.Count(); ++i) {
    builder.Add(block.Key(i), block.At(i));
    Check(block.LowerBound(block.Key(i)) <= i, "a key is found where it is");
  }
  Check(builder.Finish()->Count() == block.Count(), "a block is as long as it says");
}

}  // namespace
}  // namespace betr::layout

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr;          // NOLINT(google-build-using-namespace)
  using namespace betr::layout;  // NOLINT(google-build-using-namespace)
  FuzzInput input(data, size);
  BlockEntry entry;
  entry.compression = static_cast<Compression>(input.Number(1) % 3);
  entry.raw_size.value = input.Number(3);
  entry.count = static_cast<uint32_t>(input.Number(1));
  const auto make = [&entry](Random& random) {
    StoredBlock stored = MakeStoredBlock(DefaultCodec(entry.compression), *RandomBlock(random, 40, Points::kAny));
    entry = {{}, {}, stored.raw_size, stored.compression, 0, stored.count, stored.erases};
    return std::move(stored.bytes);
  };
  const std::string bytes = FuzzedBytes(input, make);
  entry.stored_size.value = bytes.size();
  entry.checksum = Checksum(bytes);
  const auto block = DecodeBlock(entry, bytes);
  if (block.ok()) ReadAll(**block);
  return 0;
}
