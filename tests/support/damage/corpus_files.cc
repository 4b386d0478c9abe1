// SPDX-License-Identifier: Apache-2.0
// Damages to what a file system keeps in its trees, and to the nodes below.
#include "fs/attribute_delta.h"
#include "fs/key.h"
#include "fs/record.h"
#include "support/damage/corpus.h"

namespace betr::test {
namespace {

namespace key = fs::key;

const std::string kFolk = key::Content("", "folk");
const std::string kAnna = key::Content(kFolk, "anna");
const std::string kDocs = key::Content(kAnna, "docs");
const std::string kLarge = key::Entry(key::Content(kFolk, "otto"), "large");

auto Files(std::function<void(const FileTrees&)> change) {
  return [change = std::move(change)](Bench& bench) { bench.ChangeFiles(change); };
}

auto PutMeta(const std::string& at, const std::string& value) {
  return Files([=](const FileTrees& t) { (void)t.store.Put(t.meta, at, value); });
}
auto PutData(const std::string& at, const std::string& value) {
  return Files([=](const FileTrees& t) { (void)t.store.Put(t.data, at, value); });
}
auto EraseData(const std::string& at) {
  return Files([=](const FileTrees& t) { (void)t.store.Erase(t.data, at); });
}
auto EraseMeta(const std::string& at) {
  return Files([=](const FileTrees& t) { (void)t.store.Erase(t.meta, at); });
}
auto Links(const std::string& at, int64_t more) {
  fs::AttributeDelta delta;
  delta.links = more;
  return Files(
      [=](const FileTrees& t) { (void)t.store.Upsert(t.meta, at, fs::kAttributeUpsert, fs::EncodeDelta(delta)); });
}
void ChangeRecord(const FileTrees& t, const std::string& at, const std::function<void(fs::InodeRecord&)>& change) {
  fs::InodeRecord record = *fs::DecodeInode(**t.store.Get(t.meta, at), "record");
  change(record);
  (void)t.store.Put(t.meta, at, fs::EncodeInode(record));
}
auto Record(const std::string& at, std::function<void(fs::InodeRecord&)> change) {
  return Files([=](const FileTrees& t) { ChangeRecord(t, at, change); });
}
auto Copy(const std::string& from, const std::string& to) {
  return Files([=](const FileTrees& t) { (void)t.store.Put(t.meta, to, **t.store.Get(t.meta, from)); });
}

// The first link group.
std::string GroupKey(const FileTrees& t) {
  const auto cursor = *t.store.NewCursor(t.meta, Range::Prefix(key::Groups("")));
  cursor->SeekToFirst();
  return std::string(cursor->Key());
}

// A value outside of the record, which is missing.
void AddLargeXattr(fs::InodeRecord& record) {
  record.xattrs.push_back({.name = "user.large", .external = true, .size = 3000, .value = {}});
}

auto NodeZeroed(const std::string& tree, int height) {
  return [=](Bench& bench) { bench.Zero(bench.HeaderOf(bench.NodeOf(tree, height))); };
}

constexpr int kRoot = 99;

void ZeroCatalog(Bench& bench) {
  bench.Zero(bench.Find("catalog"));
  bench.Zero(bench.Find("second copy of the catalog"));
}

std::vector<DamageCase> LinkCases() {
  const std::string second = key::Entry(kAnna, "second");
  return {
      {"dangling reference", Files([](const FileTrees& t) { (void)t.store.Erase(t.meta, GroupKey(t)); }), "is not in /",
       "is not in /", true},
      {"reference to another group", PutMeta(second, fs::EncodeReference({FileType::kSymlink, 1})), "is not in /",
       "is not in /", true},
      {"reference of another type", Files([=](const FileTrees& t) {
         const uint64_t id = key::ParseMeta(GroupKey(t))->id;
         (void)t.store.Put(t.meta, second, fs::EncodeReference({FileType::kSymlink, id}));
       }),
       "is of another type", "is of another type"},
      {"no link home", Record(std::string(key::kRootObject), [](fs::InodeRecord& root) { root.link_home = false; }),
       "link groups in a directory that is no link home", "no link home"},
      {"unlisted name", EraseMeta(key::GroupName("", key::Entry(kAnna, "second"))), "not listed in its link home",
       "not listed in its link home"},
      {"listed and no name", PutMeta(key::GroupName("", key::Entry("", "zz")), fs::EncodeGroupName(1)), "and is none",
       "and is none"},
      {"group without names", Files([](const FileTrees& t) {
         (void)t.store.Put(t.meta, key::Group("", 12345), **t.store.Get(t.meta, GroupKey(t)));
       }),
       "0 names", "0 names"},
      {"group in no home", Files([](const FileTrees& t) {
         (void)t.store.Put(t.meta, key::Group(kDocs, 5), **t.store.Get(t.meta, GroupKey(t)));
       }),
       "no link home", "no link home"},
  };
}

}  // namespace

std::vector<DamageCase> FileCases() {
  const std::string page = key::Entry(kDocs, "page-05");
  std::vector<DamageCase> cases = {
      {"no version", EraseMeta(std::string(key::kVersionKey)), "the record is missing", "the record is missing"},
      {"no root directory", EraseMeta(std::string(key::kRootObject)), "the record is missing", "is missing"},
      {"no number bound", EraseMeta(std::string(key::kNumberBoundKey)), "the record is missing", "is not below"},
      {"root cannot be decoded", PutMeta(std::string(key::kRootObject), "x"), "//r: ", "//r: "},
      {"bound cannot be decoded", PutMeta(std::string(key::kNumberBoundKey), "x"), "//n: ", "//n: "},
      {"record cannot be decoded", PutMeta(page, "x"), "folk/anna/docs/page-05: record",
       "content of a file that does not exist", true},
      {"unknown key in meta", PutMeta("nonsense", "x"), "no such kind of key", "no such kind of key"},
      {"unknown key in data", PutData("nonsense", "x"), "no such kind of key", "no such kind of key"},
      {"no parent", EraseMeta(key::Entry(kFolk, "otto")), "there are keys below this path, and it is no directory",
       "folk/otto: there are keys below"},
      {"a file with something below", Copy(page, key::Entry(kFolk, "otto")), "it is no directory",
       "folk/otto: there are keys below"},
      {"links of a directory", Links(key::Entry(kFolk, "anna"), 3), "6 links of a directory", "6 links"},
      {"links of a file", Links(page, 2), "3 links of a file with one name", "3 links"},
      {"links of a group", Files([](const FileTrees& t) {
         fs::AttributeDelta delta;
         delta.links = 4;
         (void)t.store.Upsert(t.meta, GroupKey(t), fs::kAttributeUpsert, fs::EncodeDelta(delta));
       }),
       "has 2 names and 6 links", "has 2 names and 6 links"},
      {"reach", Record(key::Entry("", "folk"), [](fs::InodeRecord& record) { record.reach = 1; }), "keys below reach",
       "keys below reach"},
      {"number", PutMeta(std::string(key::kNumberBoundKey), fs::EncodeNumberBound(3)), "is not below the bound",
       "is not below the bound"},
      {"content without a file", EraseMeta(page), "content of a file that does not exist",
       "content of a file that does not exist"},
      {"content of a directory", PutData(key::Block(key::Entry(kFolk, "anna"), 0), "x"), "what is no regular file",
       "what is no regular file"},
      {"content of a symlink", PutData(key::Block(key::Entry(kFolk, "link"), 0), "x"), "what is no regular file",
       "what is no regular file"},
      {"block beyond the end", PutData(key::Block(kLarge, 70), "x"), "block 70 has 1 bytes", "block 70 has 1 bytes"},
      {"last block too long", PutData(key::Block(kLarge, 4), std::string(4096, 'x')), "block 4 has 4096 bytes",
       "block 4"},
      {"empty block", PutData(key::Block(kLarge, 1), ""), "block 1 has 0 bytes", "block 1 has 0 bytes"},
      {"no xattr value", EraseData(key::Xattr(kLarge, "user.large")), "should have 3000 bytes, found -1",
       "should have 3000 bytes", true},
      {"no xattr value of a file with two names",
       Files([](const FileTrees& t) { ChangeRecord(t, GroupKey(t), AddLargeXattr); }), "found -1", "found -1", true},
      {"no xattr value of the root", Record(std::string(key::kRootObject), AddLargeXattr), "//r: the value of",
       "//r: the value of", true},
      {"xattr of another size", PutData(key::Xattr(kLarge, "user.large"), "short"), "found 5", "found 5", true},
      {"xattr of no record", PutData(key::Xattr(kLarge, "user.other"), "y"), "which the record does not have",
       "which the record does not have", true},
      {"orphan", Copy(page, key::Orphan(9)), "harmless: ", "unlinked, but open", false, 0, 1},
      {"leftover", PutMeta(std::string(key::kScratchPrefix) + "x", "y"), "harmless: ", "was interrupted", false, 0, 1},
  };
  const std::vector<DamageCase> links = LinkCases();
  cases.insert(cases.end(), links.begin(), links.end());
  return cases;
}

std::vector<DamageCase> LostAndFoundCases() {
  const std::string page = key::Entry(kDocs, "page-05");
  return {
      {"root is a file",
       Record(std::string(key::kRootObject), [](fs::InodeRecord& root) { root.type = FileType::kRegular; }),
       "//r: there are keys below this path", "//r: there are keys below this path"},
      {"lost+found is a file, and something below it", Files([=](const FileTrees& t) {
         (void)t.store.Put(t.meta, key::Entry("", "lost+found"), **t.store.Get(t.meta, page));
         for (const TreeId tree : {t.meta, t.data}) {
           (void)t.store.RenamePrefix(tree, kDocs, tree, key::Content("", "lost+found"));
         }
       }),
       "lost+found: there are keys below this path", "lost+found: there are keys below this path"},
      {"lost+found is a file, and content without one", Files([=](const FileTrees& t) {
         (void)t.store.RenamePrefix(t.meta, page, t.meta, key::Entry("", "lost+found"));
       }),
       "content of a file that does not exist", "content of a file that does not exist"},
  };
}

std::vector<DamageCase> FileStoreCases() {
  return {
      {"leaf of names", NodeZeroed("meta", 0), "header: magic is", "lost: names from", true},
      {"interior node of names", NodeZeroed("meta", 1), "header: magic is", "/lost+found/node-", true},
      {"root of names", NodeZeroed("meta", kRoot), "header: magic is", "tree \"meta\": its root is lost", true},
      {"leaf of content", NodeZeroed("data", 0), "header: magic is", ": bytes ", true},
      {"interior node of content", NodeZeroed("data", 1), "header: magic is", "content in /lost+found/node-", true},
      {"root of content", NodeZeroed("data", kRoot), "header: magic is", "tree \"data\": its root is lost", true},
      {"catalog", ZeroCatalog, "catalog: magic is", "as the checksum of the lost one proves"},
      // The page had less than what is found: what is left of nodes that are gone, too.
      {"table and catalog",
       [](Bench& b) {
         ZeroCatalog(b);
         b.Zero(b.Find("table page"));
       },
       "catalog: magic is", "as the checksum of the lost one proves", true},
      {"every catalog", ZeroEveryCatalog, "catalog: magic is", "tree \"meta\": found as node", true},
      {"table and every catalog",
       [](Bench& b) {
         ZeroEveryCatalog(b);
         b.Zero(b.Find("table page"));
       },
       "catalog: magic is", "tree \"meta\": found as node", true},
      {"everything but the leaves",
       [](Bench& b) {
         for (const char* tree : {"meta", "data"}) {
           b.Zero(b.HeaderOf(b.NodeOf(tree, 1)));
           b.Zero(b.HeaderOf(b.NodeOf(tree, kRoot)));
         }
       },
       "header: magic is", "/lost+found/node-", true},
  };
}

}  // namespace betr::test
