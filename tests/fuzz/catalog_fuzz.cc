// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "base/coding.h"
#include "fuzz/fuzz.h"
#include "layout/catalog_codec.h"
#include "layout/seal.h"
#include "support/layout/samples.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr;          // NOLINT(google-build-using-namespace)
  using namespace betr::layout;  // NOLINT(google-build-using-namespace)
  FuzzInput input(data, size);
  std::string bytes =
      FuzzedBytes(input, [](Random& random) { return EncodeCatalog(RandomCatalog(random, 5), Generation{1}); });
  Seal(&bytes);
  const auto catalog = DecodeCatalog(bytes);
  if (catalog.ok()) {
    const Generation generation{LoadFixed<uint64_t>(bytes.data() + 32)};
    Check(EncodeCatalog(*catalog, generation) == bytes, "a catalog has one form");
  }
  return 0;
}
