// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "fuzz/fuzz.h"
#include "layout/superblock.h"
#include "support/layout/samples.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr;          // NOLINT(google-build-using-namespace)
  using namespace betr::layout;  // NOLINT(google-build-using-namespace)
  FuzzInput input(data, size);
  std::string bytes = FuzzedBytes(input, [](Random& random) { return EncodeSuperblock(RandomSuperblock(random)); });
  bytes.resize(kUnit.value);
  constexpr size_t kChecksumAt = 504;
  StoreFixed(bytes.data() + kChecksumAt, Checksum(std::string_view(bytes).substr(0, kChecksumAt)));
  const auto block = DecodeSuperblock(bytes);
  if (block.ok() && block->Writable()) Check(EncodeSuperblock(*block) == bytes, "a superblock has one form");
  return 0;
}
