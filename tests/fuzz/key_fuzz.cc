// SPDX-License-Identifier: Apache-2.0
// The keys of a file system.
#include "base/check.h"
#include "fs/key.h"
#include "fuzz/fuzz.h"

namespace betr::fs {
namespace {

std::string RandomKey(Random& random) {
  std::string content = key::Zone(random.OneIn(3) ? random.Skewed(40) : 0);
  for (uint64_t n = random.Uniform(4); n > 0; --n) {
    content = key::Content(content, std::string(1 + random.Uniform(3), 'd'));
  }
  const std::string entry = key::Entry(content, "name");
  switch (random.Uniform(6)) {
    case 0:
      return key::Block(entry, random.Skewed(32));
    case 1:
      return key::Xattr(entry, "user.x");
    case 2:
      return key::Group(content, random.Next());
    case 3:
      return key::GroupName(content, random.OneIn(2) ? entry : std::string(key::Relative(content, entry)));
    case 4:
      return key::Orphan(random.Next());
    default:
      return entry;
  }
}

// A key that is understood is made of what it was understood as.
void Parse(std::string_view bytes) {
  using Kind = key::MetaKey::Kind;
  if (const auto meta = key::ParseMeta(bytes)) {
    Check(meta->kind != Kind::kEntry || key::Entry(meta->content, meta->name) == bytes, "an entry has one key");
    Check(meta->kind != Kind::kGroup || key::Group(meta->content, meta->id) == bytes, "a group has one key");
    Check(meta->kind != Kind::kGroupName || key::GroupName(meta->content, meta->relative) == bytes,
          "a name of a group has one key");
    Check(!key::PathOfObject(bytes).empty(), "an object has a path");
    Check(meta->kind != Kind::kGroupName ||
              key::Relative(meta->content, key::Absolute(meta->content, meta->relative)) == meta->relative,
          "a listed name is one");
  }
  if (const auto data = key::ParseData(bytes)) {
    const std::string again =
        data->is_xattr ? key::Xattr(data->object, data->xattr) : key::Block(data->object, data->block);
    Check(again == bytes, "a block has one key");
  }
}

}  // namespace
}  // namespace betr::fs

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  betr::layout::FuzzInput input(data, size);
  betr::fs::Parse(betr::layout::FuzzedText(input, betr::fs::RandomKey));
  return 0;
}
