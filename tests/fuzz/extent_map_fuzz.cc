// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "fuzz/fuzz.h"
#include "layout/extent_map.h"
#include "layout/seal.h"

namespace betr::layout {
namespace {

constexpr ExtentOwner kOwner{5, 77};

std::string RandomPage(Random& random) {
  MapPage page{kOwner, random.Skewed(40), {}};
  const uint64_t pieces = 1 + random.Skewed(8);
  while (page.pieces.size() < pieces) {
    page.pieces.push_back({random.Skewed(40), static_cast<uint32_t>(1 + random.Skewed(10))});
  }
  return EncodeMapPage(page);
}

}  // namespace
}  // namespace betr::layout

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr::layout;  // NOLINT(google-build-using-namespace)
  FuzzInput input(data, size);
  std::string bytes = FuzzedBytes(input, RandomPage);
  bytes.resize(kUnit.value);
  Seal(&bytes);
  const auto page = DecodeMapPage(1, kOwner, bytes);
  if (page.ok()) betr::Check(EncodeMapPage(*page) == bytes, "a page of a map has one form");
  return 0;
}
