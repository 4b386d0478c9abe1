// SPDX-License-Identifier: Apache-2.0
#include "support/damage/forge_files.h"

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "fs/attribute_delta.h"
#include "fs/block_delta.h"
#include "fs/key.h"
#include "fs/pending_erases.h"
#include "fs/record.h"
#include "support/damage/subject.h"
#include "support/must.h"

namespace betr::test {
namespace {

namespace key = fs::key;

class Forger {
 public:
  Forger(Store& store, Random& random)
      : store_(store), random_(random), meta_(Must(store.FindTree(kMetaTree))), data_(Must(store.FindTree(kDataTree))) {
    for (const auto& [tree, keys] : {std::pair{meta_, &meta_keys_}, std::pair{data_, &data_keys_}}) {
      const auto cursor = Must(store.NewCursor(tree));
      for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) keys->emplace_back(cursor->Key());
    }
  }

  std::string Forge() {
    switch (random_.Uniform(12)) {
      case 0:
        return ForgeGlobal();
      case 1:
        return ForgeData();
      case 2: {
        const TreeId tree = random_.OneIn(2) ? meta_ : data_;
        const std::string from = AnyContent();
        const std::string to = AnyContent();
        Try(random_.OneIn(2) ? store_.ClonePrefix(tree, from, tree, to) : store_.RenamePrefix(tree, from, tree, to));
        return fmt::format("{} also as {}; ", Escape(from), Escape(to));
      }
      case 3:
        return Upsert();
      default:
        return ForgeMeta();
    }
  }

 private:
  static void Try(const absl::Status& status) { status.IgnoreError(); }

  std::string AnyMetaKey() { return random_.Pick(meta_keys_); }

  std::string AnyName() {
    static const std::array<std::string, 12> kNames{
        "",  ".",    "..",   "a/b",     std::string("a\0b", 3), "\n\x1b[2J", "\xff\xfe",
        "/", "docs", "anna", "page-03", std::string(300, 'n')};
    return kNames[random_.Uniform(kNames.size())];
  }

  std::string AnyContent() {
    std::string content;
    switch (random_.Uniform(6)) {
      case 0:
        return "";
      case 1:
        content = key::Zone(AnyNumber());
        break;
      case 2:
        for (uint64_t n = random_.Skewed(11); n > 0; --n) content = key::Content(content, "d");
        return content;
      default:
        break;
    }
    for (const char* const name : {"folk", "anna", "docs"}) {
      if (random_.OneIn(4)) break;
      content = key::Content(content, random_.OneIn(8) ? AnyName() : name);
    }
    return content;
  }

  uint64_t AnyNumber() {
    switch (random_.Uniform(4)) {
      case 0:
        return random_.Uniform(4);
      case 1:
        return UINT64_MAX - random_.Uniform(2);
      case 2:
        return (uint64_t{1} << random_.Uniform(64)) - random_.Uniform(2);
      default:
        return random_.Uniform(40);
    }
  }

  std::string AnyKey() {
    const std::string content = AnyContent();
    switch (random_.Uniform(9)) {
      case 0:
        return key::Group(content, AnyNumber());
      case 1:
        return key::GroupName(content,
                              random_.OneIn(2) ? AnyMetaKey() : std::string(key::Entry(AnyContent(), AnyName())));
      case 2:
        return key::Orphan(AnyNumber());
      case 3: {
        std::string bytes = AnyMetaKey();
        bytes.insert(random_.Uniform(bytes.size() + 1), random_.String(1));
        return bytes;
      }
      case 4:
        return AnyMetaKey();
      case 5: {
        const std::string bytes = AnyMetaKey();
        return bytes.substr(0, random_.Uniform(bytes.size() + 1));
      }
      default:
        return key::Entry(content, AnyName());
    }
  }

  FileTime AnyTime() {
    static const std::array<int64_t, 5> kSeconds{0, -1, std::numeric_limits<int64_t>::max(),
                                                 std::numeric_limits<int64_t>::min(), int64_t{1} << 33};
    return {kSeconds[random_.Uniform(kSeconds.size())], static_cast<uint32_t>(random_.Uniform(1'000'000'000))};
  }

  fs::InodeRecord AnyInode() {
    fs::InodeRecord record;
    if (const auto old = store_.Get(meta_, AnyMetaKey()); old.ok() && *old) {
      if (const auto decoded = fs::DecodeInode(**old, "record"); decoded.ok()) record = *decoded;
    }
    for (uint64_t n = 1 + random_.Uniform(3); n > 0; --n) ForgeInode(record);
    return record;
  }

  void ForgeInode(fs::InodeRecord& record) {
    switch (random_.Uniform(14)) {
      case 0:
        record.type = static_cast<FileType>(1 + random_.Uniform(7));
        break;
      case 1:
        record.permissions = static_cast<uint32_t>(random_.Uniform(010000));
        break;
      case 2:
        record.links = static_cast<uint32_t>(AnyNumber());
        break;
      case 3:
        record.number = AnyNumber();
        break;
      case 4:
        record.size = std::min(AnyNumber(), kMaxFileSize.value);
        break;
      case 5:
        record.accessed = record.modified = record.changed = record.born = AnyTime();
        break;
      case 6:
        record.device = AnyNumber();
        break;
      case 7:
        record.target = AnyName();
        break;
      case 8:
        record.link_home = !record.link_home;
        break;
      case 9:
        record.salt = AnyNumber();
        break;
      case 10:
        record.zone = AnyNumber();
        break;
      case 11:
        record.reach = random_.OneIn(2) ? 0 : fs::kMaxReach;
        break;
      default:
        record.xattrs.clear();
        for (uint64_t i = 0; i < random_.Uniform(4); ++i) {
          const bool is_external = random_.OneIn(2);
          static const std::array<std::string, 4> kNames{"system.posix_acl_access", "user.x", "bare",
                                                         std::string("user.\0/=", 8)};
          record.xattrs.push_back({kNames[i], is_external,
                                   static_cast<uint32_t>(is_external ? random_.Uniform(65537) : 0),
                                   is_external ? "" : random_.String(random_.Uniform(99))});
        }
        std::sort(record.xattrs.begin(), record.xattrs.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
        break;
    }
    if (record.type != FileType::kDirectory) {
      record.link_home = false;
      record.salt = record.zone = record.reach = 0;
    }
  }

  std::string AnyRecord() {
    switch (random_.Uniform(8)) {
      case 0:
        return fs::EncodeReference({static_cast<FileType>(1 + random_.Uniform(7)), AnyNumber()});
      case 1:
        return fs::EncodeGroupName(AnyNumber());
      case 2: {
        const auto old = store_.Get(meta_, AnyMetaKey());
        std::string bytes = old.ok() && *old ? **old : random_.String(9);
        if (!bytes.empty()) bytes[random_.Uniform(bytes.size())] = static_cast<char>(random_.Next());
        if (random_.OneIn(3)) bytes.resize(random_.Uniform(bytes.size() + 1));
        return bytes;
      }
      default:
        return fs::EncodeInode(AnyInode());
    }
  }

  std::string ForgeMeta() {
    const std::string at = random_.OneIn(2) ? AnyMetaKey() : AnyKey();
    if (random_.OneIn(8)) {
      Try(store_.Erase(meta_, at));
      return fmt::format("no {}; ", Escape(at));
    }
    const std::string record = AnyRecord();
    Try(store_.Put(meta_, at, record));
    return fmt::format("{} is {}; ", Escape(at), Escape(record.substr(0, 60)));
  }

  std::string ForgeData() {
    const std::string object = random_.OneIn(2) ? AnyMetaKey() : AnyKey();
    const std::string at = random_.OneIn(3)   ? random_.Pick(data_keys_)
                           : random_.OneIn(2) ? key::Block(object, random_.Skewed(40))
                                              : key::Xattr(object, random_.OneIn(2) ? "user.x" : AnyName());
    const size_t size = random_.OneIn(2) ? random_.Uniform(5000) : random_.Skewed(20);
    Try(store_.Put(data_, at, std::string(size, 'd')));
    return fmt::format("{} has {} bytes; ", Escape(at), size);
  }

  std::string Upsert() {
    const std::string at = random_.OneIn(2) ? AnyMetaKey() : AnyKey();
    std::string delta = fs::EncodeDelta({.permissions = static_cast<uint32_t>(random_.Next()),
                                         .size_at_least = AnyNumber(),
                                         .links = static_cast<int64_t>(AnyNumber()),
                                         .reach_at_least = AnyNumber(),
                                         .modified = AnyTime()});
    if (random_.OneIn(3)) delta = random_.String(random_.Uniform(20));
    const TreeId tree = random_.OneIn(3) ? data_ : meta_;
    const bool is_odd = random_.OneIn(4);
    Try(store_.Upsert(tree, at, (tree == meta_) != is_odd ? fs::kAttributeUpsert : fs::kBlockUpsert, delta));
    return fmt::format("{} changed; ", Escape(at));
  }

  std::string ForgeGlobal() {
    switch (random_.Uniform(5)) {
      case 0:
        Try(store_.Put(meta_, key::kNumberBoundKey, fs::EncodeNumberBound(AnyNumber())));
        return "number bound; ";
      case 1:
        Try(store_.Put(meta_, key::kVersionKey, fs::EncodeVersion({AnyTime(), random_.OneIn(2)})));
        return "version; ";
      case 2: {
        const TreeId tree = random_.OneIn(2) ? meta_ : data_;
        const std::vector<fs::TreeRange> ranges{{tree, Range::Prefix(AnyContent())},
                                                {data_, {Bound::At(AnyKey()), Bound::Past(AnyKey())}}};
        Try(store_.Put(meta_, key::kErasesKey, fs::EncodeErases(meta_, ranges)));
        return "erases; ";
      }
      case 3:
        Try(store_.Put(meta_, key::kRootObject, AnyRecord()));
        return "root; ";
      default:
        Try(store_.Put(meta_, key::Orphan(AnyNumber()), AnyRecord()));
        return "orphan; ";
    }
  }

  Store& store_;
  Random& random_;
  TreeId meta_;
  TreeId data_;
  std::vector<std::string> meta_keys_;
  std::vector<std::string> data_keys_;
};

}  // namespace

std::string ForgeFiles(MemoryDevice& device, Random& random) {
  const auto store = Must(OpenSubject(device, false));
  std::string what;
  Forger forger(*store, random);
  const uint64_t count = random.OneIn(3) ? 1 + random.Uniform(20) : 1 + random.Uniform(4);
  for (uint64_t i = 0; i < count; ++i) what += forger.Forge();
  Must(store->Close());
  return what;
}

}  // namespace betr::test
