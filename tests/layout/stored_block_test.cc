// SPDX-License-Identifier: Apache-2.0
// Blocks as stored: round trips, damage, forged block table entries.
#include "layout/stored_block.h"

#include <array>
#include <catch2/catch.hpp>

#include "base/checksum.h"
#include "support/layout/random_node.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

struct Sample {
  BlockEntry entry;
  std::string bytes;
  std::string payload;
};

Sample MakeSample(Random& random, Compression kind, size_t entries) {
  const auto block = RandomBlock(random, entries, Points::kAny);
  StoredBlock stored = MakeStoredBlock(DefaultCodec(kind), *block);
  const BlockEntry entry{KiB(4),          {stored.bytes.size()}, stored.raw_size, stored.compression,
                         stored.checksum, stored.count,          stored.erases};
  return {entry, std::move(stored.bytes), std::string(block->Payload())};
}

constexpr std::array kKinds{Compression::kNone, Compression::kLz4, Compression::kZstd};

TEST_CASE("a block is read as it was stored", "[layout]") {
  Random random(TestSeed());
  for (int i = 0; i < 300; ++i) {
    const Sample sample = MakeSample(random, random.Pick(kKinds), 200);
    const auto block = DecodeBlock(sample.entry, sample.bytes);
    REQUIRE(block.ok());
    REQUIRE(((*block)->Payload() == sample.payload));
    const auto copy = CopyStoredBlock(sample.entry, sample.bytes);
    REQUIRE(copy.ok());
    CHECK(copy->checksum == sample.entry.checksum);
    CHECK(copy->erases == (*block)->Erases());
    CHECK((copy->bytes == sample.bytes));
  }
}

TEST_CASE("a damaged byte of a stored block is found", "[layout]") {
  Random random(TestSeed() + 1);
  for (const Compression kind : kKinds) {
    Sample sample = MakeSample(random, kind, 60);
    for (char& byte : sample.bytes) {
      byte = static_cast<char>(byte ^ (1 << random.Uniform(8)));
      REQUIRE(DecodeBlock(sample.entry, sample.bytes).status().code() == absl::StatusCode::kDataLoss);
      REQUIRE(CopyStoredBlock(sample.entry, sample.bytes).status().code() == absl::StatusCode::kDataLoss);
      BlockEntry forged = sample.entry;
      forged.checksum = Checksum(sample.bytes);
      const auto block = DecodeBlock(forged, sample.bytes);  // another block perhaps, never a crash
      CHECK((block.ok() || block.status().code() == absl::StatusCode::kDataLoss));
      byte = MakeStoredBlock(DefaultCodec(kind), **dag::Block::Parse(sample.payload))
                 .bytes[static_cast<size_t>(&byte - sample.bytes.data())];
    }
    CHECK(DecodeBlock(sample.entry, sample.bytes).ok());
  }
}

TEST_CASE("a block table entry that is not true is found", "[layout]") {
  Random random(TestSeed() + 2);
  Sample sample = MakeSample(random, Compression::kLz4, 100);
  while (sample.entry.compression == Compression::kNone) {
    sample = MakeSample(random, Compression::kLz4, 100);  // one that can be compressed
  }
  const auto code = [&](auto change) {
    BlockEntry entry = sample.entry;
    change(entry);
    return DecodeBlock(entry, sample.bytes).status().code();
  };
  CHECK(code([](BlockEntry& entry) { ++entry.count; }) == absl::StatusCode::kDataLoss);
  CHECK(code([](BlockEntry& entry) { ++*entry.erases; }) == absl::StatusCode::kDataLoss);
  CHECK(code([](BlockEntry& entry) { ++entry.raw_size.value; }) == absl::StatusCode::kDataLoss);
  CHECK(code([](BlockEntry& entry) { entry.raw_size = TiB(1); }) == absl::StatusCode::kDataLoss);
  CHECK(code([](BlockEntry& entry) { ++entry.stored_size.value; }) == absl::StatusCode::kDataLoss);
  CHECK(code([](BlockEntry& entry) { entry.compression = Compression::kZstd; }) == absl::StatusCode::kDataLoss);
  CHECK(code([](BlockEntry& entry) { entry.compression = Compression::kNone; }) == absl::StatusCode::kDataLoss);
  CHECK(code([](BlockEntry& entry) { ++entry.checksum; }) == absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace betr::layout
