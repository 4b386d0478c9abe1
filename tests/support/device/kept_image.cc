// SPDX-License-Identifier: Apache-2.0
#include "support/device/kept_image.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/compression.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr Codec kCodec{Compression::kZstd, 19};

std::string PathOf(const std::string& file) { return std::string(BETR_SOURCE_DIR) + "/tests/" + file; }

}  // namespace

bool KeepsImages() {
  const char* keep = std::getenv("BETR_KEEP_IMAGES");  // NOLINT(concurrency-mt-unsafe): nobody changes it
  return keep != nullptr && std::string_view(keep) == "1";
}

void KeepImage(const std::string& file, BlockDevice& device) {
  std::string all(device.Size().value, '\0');
  Must(device.Read(Bytes{0}, all));
  std::string stored;
  REQUIRE(Compress(kCodec, all, &stored) == kCodec.kind);
  std::ofstream out(PathOf(file), std::ios::binary);
  out << stored;
  REQUIRE(out.flush().good());
}

PageMap ReadKeptImage(const std::string& file, Bytes size) {
  INFO(PathOf(file));
  std::ifstream in(PathOf(file), std::ios::binary);
  REQUIRE(in.good());
  std::string stored{std::istreambuf_iterator<char>(in), {}};
  const std::string all = Must(Decompress(kCodec.kind, std::move(stored), size));
  PageMap pages;
  for (uint64_t at = 0; at < all.size(); at += kBlockSize.value) {
    pages.Set(at / kBlockSize.value, PageMap::MakePage(std::string_view(all).substr(at, kBlockSize.value)));
  }
  return pages;
}

}  // namespace betr::test
