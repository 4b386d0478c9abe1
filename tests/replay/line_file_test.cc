// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/line_file.h"

#include <malloc.h>
#include <zstd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "base/random.h"
#include "support/device/temp_dir.h"

namespace betr::replay {
namespace {

std::string Compressed(const std::string& content) {
  std::string bytes(ZSTD_compressBound(content.size()), '\0');
  const size_t size = ZSTD_compress(bytes.data(), bytes.size(), content.data(), content.size(), 3);
  REQUIRE(ZSTD_isError(size) == 0);
  bytes.resize(size);
  return bytes;
}

std::string Lines(size_t count, size_t length) {
  std::string content;
  content.reserve(count * (length + 1));
  for (size_t i = 0; i < count; ++i) content += std::string(length, static_cast<char>('a' + i % 26)) + '\n';
  return content;
}

TEST_CASE("little data that is much when decompressed is in memory in parts") {
  const TempDir dir;
  const std::string content = Lines(1'000, 100'000);
  const std::string stored = Compressed(content);
  REQUIRE(stored.size() < 200'000);
  std::ofstream(dir.File("bomb"), std::ios::binary) << stored << stored;
  auto file = LineFile::Open(dir.File("bomb"));
  REQUIRE(file.ok());
  const auto used = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const size_t before = used();
  size_t most = before;
  size_t count = 0;
  while (true) {
    const absl::StatusOr<std::optional<std::string>> line = (*file)->Next();
    REQUIRE(line.ok());
    if (!line->has_value()) break;
    if ((*line)->size() == 100'000) ++count;
    most = std::max(most, used());
  }
  CHECK(count == 2'000);
  CHECK(most - before < MiB(16).value);
}

TEST_CASE("compressed lines are the same, wherever frames and buffers end") {
  const TempDir dir;
  const std::string path = dir.File("lines");
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    std::string content;
    std::string stored;
    for (uint64_t frames = random.Uniform(4); frames > 0; --frames) {
      // The size of zstd's buffers, and a little more or less.
      std::string part((random.Uniform(3) << 17) + random.Uniform(5), 'x');
      for (uint64_t i = random.Uniform(100); i > 0 && !part.empty(); --i) part[random.Uniform(part.size())] = '\n';
      content += part;
      stored += Compressed(part);
    }
    std::ofstream(path, std::ios::binary) << stored;
    auto file = LineFile::Open(path);
    REQUIRE(file.ok());
    std::string read;
    while (true) {
      const absl::StatusOr<std::optional<std::string>> line = (*file)->Next();
      INFO(line.status());
      REQUIRE(line.ok());
      if (!line->has_value()) break;
      read += **line + ((*file)->IsCut() ? "" : "\n");
    }
    CHECK(read == content);
    if (stored.empty()) continue;
    std::ofstream(path, std::ios::binary) << stored.substr(0, stored.size() - 1);
    auto cut = LineFile::Open(path);
    REQUIRE(cut.ok());
    absl::StatusOr<std::optional<std::string>> line = (*cut)->Next();
    while (line.ok() && line->has_value()) line = (*cut)->Next();
    CHECK(line.status().code() == absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace betr::replay
