// SPDX-License-Identifier: Apache-2.0
// Records and the upserts on them: round trips, damage, that composing is the same as applying twice.
#include "fs/record.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "base/coding.h"
#include "base/random.h"
#include "betr/filesystem.h"
#include "fs/attribute_delta.h"
#include "fs/block_delta.h"
#include "support/seed.h"

namespace betr::fs {
namespace {

FileTime RandomTime(Random* random) {
  const auto seconds = static_cast<int64_t>(random->Skewed(62));
  return {random->OneIn(3) ? -seconds : seconds, static_cast<uint32_t>(random->Uniform(1'000'000'000))};
}

InodeRecord RandomRecord(Random* random) {
  InodeRecord record;
  record.type = static_cast<FileType>(1 + random->Uniform(7));
  record.permissions = static_cast<uint32_t>(random->Uniform(010000));
  record.uid = static_cast<uint32_t>(random->Next());
  record.gid = static_cast<uint32_t>(random->Skewed(32));
  record.links = static_cast<uint32_t>(random->Skewed(32));
  record.number = random->Skewed(63);
  record.size = random->Uniform(kMaxFileSize.value + 1);
  record.accessed = RandomTime(random);
  record.modified = RandomTime(random);
  record.changed = RandomTime(random);
  record.born = RandomTime(random);
  if (record.type == FileType::kBlockDevice) record.device = random->Next();
  if (record.type == FileType::kSymlink) record.target = random->String(1 + random->Uniform(100));
  if (record.IsDirectory()) {
    record.link_home = random->OneIn(2);
    record.salt = random->OneIn(2) ? random->Next() : 0;
    record.zone = random->OneIn(2) ? random->Next() : 0;
    record.reach = random->Uniform(4096);
  }
  for (uint64_t i = random->Uniform(3); i > 0; --i) {
    XattrRecord xattr;
    xattr.name = "user." + std::string(3 - i, 'x');
    xattr.external = random->OneIn(2);
    if (!xattr.external) xattr.value = random->String(random->Uniform(kMaxInlineXattr + 1));
    xattr.size = static_cast<uint32_t>(xattr.external ? random->Uniform(65536) : xattr.value.size());
    record.xattrs.push_back(xattr);
  }
  return record;
}

// As many names as there can be: all of one byte, then of two, as far as they go.
std::vector<XattrRecord> MostXattrs() {
  std::vector<XattrRecord> xattrs;
  for (int first = 1; first < 256; ++first) xattrs.push_back({.name = {static_cast<char>(first)}, .value = {}});
  for (int name = 0; XattrNamesFit(xattrs, "nn"); ++name) {
    const auto first = static_cast<char>(1 + name / 255);
    const auto second = static_cast<char>(1 + name % 255);
    xattrs.push_back({.name = {first, second}, .external = name % 2 == 0, .size = 0, .value = {}});
  }
  std::sort(xattrs.begin(), xattrs.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return xattrs;
}

TEST_CASE("a record with all the xattrs that an inode may have comes back", "[fs]") {
  InodeRecord record;
  record.xattrs = MostXattrs();
  REQUIRE(record.xattrs.size() > 20000);
  const auto decoded = DecodeInode(EncodeInode(record), "record");
  INFO(decoded.status());
  REQUIRE(decoded.ok());
  REQUIRE(*decoded == record);
}

TEST_CASE("inode records come back as they were", "[fs]") {
  Random random(TestSeed());
  for (int round = 0; round < 2000; ++round) {
    const InodeRecord record = RandomRecord(&random);
    const auto decoded = DecodeInode(EncodeInode(record), "record");
    INFO(decoded.status());
    REQUIRE(decoded.ok());
    REQUIRE(*decoded == record);
    REQUIRE(std::get<InodeRecord>(*DecodeEntry(EncodeInode(record), "entry")) == record);
  }
}

TEST_CASE("damaged records are errors that name the place, never more", "[fs]") {
  Random random(TestSeed());
  for (int round = 0; round < 200; ++round) {
    const std::string bytes = EncodeInode(RandomRecord(&random));
    for (size_t size = 0; size < bytes.size(); ++size) {
      REQUIRE_FALSE(DecodeInode(std::string_view(bytes).substr(0, size), "record").ok());
    }
    REQUIRE_FALSE(DecodeInode(bytes + '\0', "record").ok());
    for (int damage = 0; damage < 50; ++damage) {
      std::string damaged = bytes;
      damaged[random.Uniform(damaged.size())] = static_cast<char>(random.Next());
      const auto decoded = DecodeInode(damaged, "record");
      if (decoded.ok()) REQUIRE(EncodeInode(*decoded) == damaged);
    }
  }
}

TEST_CASE("the small records", "[fs]") {
  const Reference reference{FileType::kFifo, 77};
  CHECK(std::get<Reference>(*DecodeEntry(EncodeReference(reference), "entry")) == reference);
  CHECK(*DecodeGroupName(EncodeGroupName(5), "name") == 5);
  CHECK(*DecodeNumberBound(EncodeNumberBound(6), "bound") == 6);
  CHECK_FALSE(DecodeNumberBound(EncodeGroupName(6), "bound").ok());
  for (const bool has_zones : {false, true}) {
    const VersionRecord version = *DecodeVersion(EncodeVersion({{1, 2}, has_zones}));
    CHECK(version.created == FileTime{1, 2});
    CHECK(version.has_zones == has_zones);
  }
  std::string newer = EncodeVersion({{1, 2}});
  CHECK(newer[2] == 1);
  newer[2] = 9;
  CHECK(DecodeVersion(newer).status().code() == absl::StatusCode::kUnimplemented);
}

AttributeDelta RandomDelta(Random* random) {
  AttributeDelta delta;
  if (random->OneIn(3)) delta.permissions = static_cast<uint32_t>(random->Uniform(010000));
  if (random->OneIn(3)) delta.uid = static_cast<uint32_t>(random->Next());
  if (random->OneIn(3)) delta.gid = static_cast<uint32_t>(random->Next());
  if (random->OneIn(3)) delta.size = random->Uniform(1000);
  if (random->OneIn(3)) delta.size_at_least = random->Uniform(1000);
  if (random->OneIn(3)) delta.links = static_cast<int64_t>(random->Uniform(5)) - 2;
  if (random->OneIn(3)) delta.reach_at_least = random->Uniform(kMaxPathSize);
  if (random->OneIn(3)) delta.accessed = RandomTime(random);
  if (random->OneIn(3)) delta.modified = RandomTime(random);
  if (random->OneIn(3)) delta.changed = RandomTime(random);
  if (random->OneIn(3)) delta.born = RandomTime(random);
  return delta;
}

TEST_CASE("attribute deltas: round trip, and composing is applying in turn", "[fs]") {
  Random random(TestSeed());
  const AttributeUpsert upsert;
  for (int round = 0; round < 2000; ++round) {
    const AttributeDelta first = RandomDelta(&random);
    const AttributeDelta second = RandomDelta(&random);
    REQUIRE(DecodeDelta(EncodeDelta(first)) == first);
    const std::string old = EncodeInode(RandomRecord(&random));
    const auto once = upsert.Apply(old, EncodeDelta(first));
    const auto twice = upsert.Apply(once, EncodeDelta(second));
    const auto composed = upsert.Compose(EncodeDelta(first), EncodeDelta(second));
    REQUIRE(composed);
    REQUIRE(upsert.Apply(old, *composed) == twice);
    REQUIRE(DecodeInode(*twice, "record").ok());
  }
}

TEST_CASE("attribute upserts change nothing that is not there or not whole", "[fs]") {
  Random random(TestSeed());
  const AttributeUpsert upsert;
  const std::string old = EncodeInode(RandomRecord(&random));
  CHECK_FALSE(upsert.Apply(std::nullopt, EncodeDelta(RandomDelta(&random))));
  CHECK(upsert.Apply("nonsense", EncodeDelta(RandomDelta(&random))) == "nonsense");
  CHECK(upsert.Apply(old, "\xff\xff") == old);
  for (int round = 0; round < 5000; ++round) {
    const auto result = upsert.Apply(old, random.String(random.Uniform(20)));
    REQUIRE(result);
    REQUIRE(DecodeInode(*result, "record").ok());
  }
}

// What the edits of one delta mean, in plain words.
std::string RandomEdit(Random* random, std::string* block, bool* exists) {
  const auto offset = static_cast<uint32_t>(random->Uniform(4097));
  const auto size = static_cast<uint32_t>(random->Uniform(4097 - offset));
  switch (random->Uniform(4)) {
    case 0:
      if (*exists) {
        for (size_t at = offset; at < std::min<size_t>(block->size(), offset + size); ++at) (*block)[at] = 0;
      }
      return EncodeBlockZero(offset, size);
    case 1:
      if (block->size() > offset) block->resize(offset);
      *exists = !block->empty();
      return EncodeBlockTruncate(offset);
    default:
      const std::string bytes = random->String(random->OneIn(2) ? std::min(size, 40u) : size);
      if (block->size() < offset + bytes.size()) block->resize(offset + bytes.size());
      block->replace(offset, bytes.size(), bytes);
      *exists = !block->empty();
      return EncodeBlockWrite(offset, bytes);
  }
}

TEST_CASE("block deltas do what they say, alone and composed", "[fs]") {
  Random random(TestSeed());
  const BlockUpsert upsert;
  for (int round = 0; round < 3000; ++round) {
    std::string expected = random.String(random.Uniform(4097));
    bool exists = !expected.empty();
    std::optional<std::string> value = exists ? std::optional(expected) : std::nullopt;
    std::optional<std::string> by_composing = value;
    std::optional<std::string> pending;
    for (uint64_t edits = 1 + random.Uniform(6); edits > 0; --edits) {
      const std::string delta = RandomEdit(&random, &expected, &exists);
      value = upsert.Apply(value, delta);
      REQUIRE(value == (exists ? std::optional(expected) : std::nullopt));
      const auto composed = pending ? upsert.Compose(*pending, delta) : std::nullopt;
      if (pending && !composed) by_composing = upsert.Apply(by_composing, *pending);
      pending = composed ? composed : delta;
    }
    by_composing = upsert.Apply(by_composing, *pending);
    REQUIRE(by_composing == value);
  }
}

TEST_CASE("block deltas of random bytes never leave the block", "[fs]") {
  Random random(TestSeed());
  const BlockUpsert upsert;
  for (int round = 0; round < 20000; ++round) {
    std::string delta = random.String(random.Uniform(24));
    if (!delta.empty()) delta[0] = static_cast<char>(1 + random.Uniform(3));
    const auto value = upsert.Apply(random.String(random.Uniform(100)), delta);
    if (value) REQUIRE(value->size() <= kFileBlock.value);
    upsert.Compose(delta, random.String(5));
  }
}

TEST_CASE("writes that touch become one edit", "[fs]") {
  const BlockUpsert upsert;
  const auto composed = upsert.Compose(EncodeBlockWrite(0, "abc"), EncodeBlockWrite(3, "def"));
  REQUIRE(composed);
  CHECK(*composed == EncodeBlockWrite(0, "abcdef"));
  CHECK(upsert.Compose(EncodeBlockWrite(10, "abc"), EncodeBlockWrite(8, "XYZ")) == EncodeBlockWrite(8, "XYZbc"));
}

TEST_CASE("writes with a gap between them leave what is there", "[fs]") {
  const BlockUpsert upsert;
  const std::string low = EncodeBlockWrite(0, "abc");
  const std::string high = EncodeBlockWrite(4, "efg");
  for (const auto& composed : {upsert.Compose(low, high), upsert.Compose(high, low)}) {
    REQUIRE(composed);
    CHECK(upsert.Apply("........", *composed) == "abc.efg.");
  }
}

TEST_CASE("no more edits are composed than are read, and none that leaves its block is read", "[fs]") {
  const BlockUpsert upsert;
  std::string delta = EncodeBlockWrite(0, "x");
  std::string expected = "x";
  for (uint32_t edits = 2;; ++edits) {
    const auto composed = upsert.Compose(delta, EncodeBlockWrite(10 * edits, "x"));
    if (!composed) {
      CHECK(edits == 17);
      break;
    }
    REQUIRE(edits < 17);
    delta = *composed;
    expected.resize(10 * edits);
    expected += 'x';
    CHECK(upsert.Apply(std::nullopt, delta) == expected);
  }
  std::string forged;
  PutFixed8(&forged, 1);
  PutVarint64(&forged, kFileBlock.value - 10);
  PutLengthPrefixed(&forged, std::string(10, 'x'));
  CHECK(DecodeBlockDelta(forged).size() == 1);
  forged[forged.size() - 11] = 11;
  CHECK(DecodeBlockDelta(forged + 'x').empty());
}

TEST_CASE("records that no file system writes", "[fs]") {
  InodeRecord record;
  record.type = FileType::kDirectory;
  record.reach = kMaxPathSize + 1;
  CHECK(DecodeInode(EncodeInode(record), "record").ok());
  ++record.reach;
  CHECK_FALSE(DecodeInode(EncodeInode(record), "record").ok());
  record.reach = 0;
  record.xattrs = {{.name = "user.a", .value = {}}, {.name = "user.b", .value = {}}};
  CHECK(DecodeInode(EncodeInode(record), "record").ok());
  record.xattrs[1].name = "user.a";
  CHECK_FALSE(DecodeInode(EncodeInode(record), "record").ok());
}

TEST_CASE("visible inode numbers: one-to-one, and stored numbers are found back", "[fs]") {
  Random random(TestSeed());
  for (int round = 0; round < 2000; ++round) {
    const uint64_t stored = random.Skewed(63);
    const NumberContext context = random.OneIn(3) ? 0 : random.Next();
    REQUIRE(UnmixNumber(MixNumber(stored)) == stored);
    REQUIRE(StoredNumber(VisibleNumber(stored, context), context) == stored);
    REQUIRE(VisibleNumber(stored, 0) == stored);
    REQUIRE(SaltOfClone(stored) != 0);
  }
}

}  // namespace
}  // namespace betr::fs
