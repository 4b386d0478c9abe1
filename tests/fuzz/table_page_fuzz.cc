// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "fuzz/fuzz.h"
#include "layout/seal.h"
#include "layout/table_page.h"

namespace betr::layout {
namespace {

constexpr uint64_t kFirstId = uint64_t{5} << 18;

PageImage RandomPage(Random& random) {
  PageImage page{static_cast<uint8_t>(random.Uniform(3)), kFirstId, Generation{random.Next()}, {}, {}};
  for (uint8_t index = 0; index < 64; index = static_cast<uint8_t>(index + 1 + random.Skewed(5))) {
    if (page.level > 0) {
      page.pages.push_back({index, {{random.Skewed(40), 1}, random.Next()}});
    } else {
      page.nodes.push_back({index, 3, 1, {random.Skewed(40), 9}, 2, random.Next()});
    }
  }
  return page;
}

}  // namespace
}  // namespace betr::layout

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr::layout;  // NOLINT(google-build-using-namespace)
  FuzzInput input(data, size);
  const uint64_t choice = input.Number(1);
  auto level = static_cast<uint8_t>(choice % 12);
  std::string bytes = FuzzedBytes(input, [&](betr::Random& random) {
    const PageImage page = RandomPage(random);
    // A page of another level than is expected ends at the check of that.
    if (choice % 8 != 0) level = page.level;
    return EncodePage(page);
  });
  bytes.resize(kUnit.value);
  Seal(&bytes);
  const auto page = DecodePage({{{1, 1}, SealOf(bytes)}, level, kFirstId}, bytes);
  if (page.ok()) betr::Check(EncodePage(*page) == bytes, "a table page has one form");
  return 0;
}
