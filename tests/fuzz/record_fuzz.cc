// SPDX-License-Identifier: Apache-2.0
// The records of a file system, and the deltas that change them.
#include "base/check.h"
#include "fs/attribute_delta.h"
#include "fs/block_delta.h"
#include "fs/pending_erases.h"
#include "fs/record.h"
#include "fuzz/fuzz.h"

namespace betr::fs {
namespace {

constexpr TreeId kMeta{1};
constexpr TreeId kData{2};

InodeRecord RandomInode(Random& random) {
  InodeRecord record;
  record.type = static_cast<FileType>(random.Uniform(7) + 1);
  record.permissions = static_cast<uint32_t>(random.Uniform(010000));
  record.uid = static_cast<uint32_t>(random.Skewed(32));
  record.links = static_cast<uint32_t>(1 + random.Skewed(10));
  record.number = random.Skewed(50);
  record.modified = {static_cast<int64_t>(random.Skewed(33)), static_cast<uint32_t>(random.Uniform(1'000'000'000))};
  if (record.type == FileType::kRegular) {
    record.size = random.Skewed(40);
  } else if (record.type == FileType::kSymlink) {
    record.target = std::string(1 + random.Uniform(20), 't');
  } else if (record.IsDirectory()) {
    record.link_home = random.OneIn(2);
    record.salt = random.Skewed(60);
    record.zone = random.OneIn(2) ? random.Skewed(50) : 0;
    record.reach = random.Skewed(10);
  }
  for (uint64_t n = random.Uniform(3); n > 0; --n) {
    record.xattrs.push_back({std::string("user.") + static_cast<char>('z' - n), n == 2, 4, n == 2 ? "" : "four"});
  }
  return record;
}

std::string RandomRecord(Random& random) {
  switch (random.Uniform(8)) {
    case 0:
      return EncodeReference({FileType::kRegular, random.Next()});
    case 1:
      return EncodeGroupName(random.Next());
    case 2:
      return EncodeNumberBound(random.Next());
    case 3:
      return EncodeDelta({.permissions = 0644, .links = -1, .modified = FileTime{1, 2}});
    case 4:
      return EncodeBlockWrite(static_cast<uint32_t>(random.Uniform(4000)), random.String(random.Uniform(90)));
    case 5:
      return EncodeErases(kMeta, {{{kMeta, Range::Prefix(random.String(5))}, {kData, Range::Prefix("a/")}}});
    default:
      return EncodeInode(RandomInode(random));
  }
}

// What was read and written again reads the same.
void DecodeRecord(std::string_view bytes) {
  const auto entry = DecodeEntry(bytes, "record");
  if (entry.ok() && std::holds_alternative<InodeRecord>(*entry)) {
    const std::string again = EncodeInode(std::get<InodeRecord>(*entry));
    const auto inode = DecodeInode(again, "record");
    Check(inode.ok() && *inode == std::get<InodeRecord>(*entry), "a record is read as it was written");
  } else if (entry.ok()) {
    Check(EncodeReference(std::get<Reference>(*entry)) == bytes, "a reference has one form");
  }
  const auto name = DecodeGroupName(bytes, "name");
  Check(!name.ok() || EncodeGroupName(*name) == bytes, "a group name has one form");
  const auto bound = DecodeNumberBound(bytes, "bound");
  Check(!bound.ok() || EncodeNumberBound(*bound) == bytes, "a number bound has one form");
  const auto erases = DecodeErases(kMeta, kData, bytes);
  Check(!erases.ok() || EncodeErases(kMeta, *erases) == bytes, "a list of erases has one form");
  static_cast<void>(DecodeVersion(bytes));
}

void DecodeDeltas(std::string_view bytes, std::string_view old) {
  if (const auto delta = DecodeDelta(bytes)) {
    const auto again = DecodeDelta(EncodeDelta(*delta));
    Check(again.has_value() && *again == *delta, "a delta is read as it was written");
  }
  for (const BlockEdit& edit : DecodeBlockDelta(bytes)) {
    Check(edit.offset <= 4096 && edit.bytes.size() <= 4096, "an edit stays inside its block");
  }
  static_cast<void>(AttributeUpsert().Apply(old, bytes));
  const auto block = BlockUpsert().Apply(old, bytes);
  Check(!block || block->size() <= std::max<size_t>(4096, old.size()), "a block stays a block");
  static_cast<void>(AttributeUpsert().Compose(bytes, old));
  static_cast<void>(BlockUpsert().Compose(bytes, old));
}

}  // namespace
}  // namespace betr::fs

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr;      // NOLINT(google-build-using-namespace)
  using namespace betr::fs;  // NOLINT(google-build-using-namespace)
  layout::FuzzInput input(data, size);
  Random random(input.Number(2));
  const std::string old = RandomRecord(random);
  const std::string bytes = layout::FuzzedText(input, RandomRecord);
  DecodeRecord(bytes);
  DecodeDeltas(bytes, old);
  return 0;
}
