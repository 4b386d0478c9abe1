// SPDX-License-Identifier: Apache-2.0
// Listing directories: positions that survive changes, large directories, what is known without reading.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <optional>
#include <set>

#include "base/random.h"
#include "betr/directory_stream.h"
#include "fs/filesystem_impl.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {
namespace {

// How often the file system has asked the store for names and attributes.
uint64_t Reads(Image& image) {
  FsSession session(image.fs().impl());
  return session.core().meta_reads();
}

TEST_CASE("a name that no name can be is not followed", "[fs]") {
  Image image;
  REQUIRE(image.paths().MakeDirectories("d/sub").ok());
  image.Unmount();
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    TreeId meta;
    for (const TreeInfo& tree : store->Trees()) {
      if (tree.name == "meta") meta = tree.id;
    }
    std::optional<std::string> record;
    std::string prefix;
    const auto cursor = store->NewCursor(meta, Range::All()).value();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      if (!cursor->Key().ends_with("sub")) continue;
      record = cursor->Value();
      prefix = cursor->Key().substr(0, cursor->Key().size() - 3);
    }
    REQUIRE(record.has_value());
    for (const char* name : {".", "..", "a/b"}) REQUIRE(store->Put(meta, prefix + name, *record).ok());
    REQUIRE(store->Close().ok());
  }
  CHECK(image.paths().List("d").value() == std::vector<std::string>{"sub"});
  CHECK(image.paths().RemoveTree("d/sub").ok());
}

TEST_CASE("what is removed file by file gives its space back", "[fs]") {
  ImageOptions options;
  options.node_size = KiB(64);  // leaves of two files
  options.basement_size = KiB(4);
  Image image(options);
  REQUIRE(image.paths().MakeDirectory("d").ok());
  for (int i = 0; i < 160; ++i) {
    const std::string directory = "d/" + std::to_string(i / 8);
    if (i % 8 == 0) REQUIRE(image.paths().MakeDirectory(directory).ok());
    REQUIRE(image.paths().WriteFile(directory + "/" + std::to_string(i), std::string(30'000, 'c')).ok());
  }
  const auto used = [&] {
    image.Unmount();
    const SpaceStats space = image.OpenStore(/*read_only=*/true)->Space();
    return space.total - space.free;
  };
  const Bytes full = used();
  for (int i = 0; i < 160; ++i) {
    REQUIRE(image.paths().Unlink("d/" + std::to_string(i / 8) + "/" + std::to_string(i)).ok());
  }
  const Bytes thinned = used();
  for (int i = 0; i < 20; ++i) REQUIRE(image.paths().RemoveDirectory("d/" + std::to_string(i)).ok());
  REQUIRE(image.paths().RemoveDirectory("d").ok());
  const Bytes empty = used();
  INFO(full.value << " bytes were in use, " << thinned.value << " without files, are " << empty.value << " now");
  CHECK(thinned.value < full.value / 4);
  CHECK(empty.value < full.value / 20);
  image.Check();
}

TEST_CASE("listing by name, and calling the file system meanwhile", "[fs]") {
  Image image;
  for (const char* name : {"a", "b", "c", "d"}) REQUIRE(image.paths().WriteFile(name, name).ok());
  std::vector<std::string> seen;
  REQUIRE(image.fs()
              .ReadDirectory(kRootInode, "b",
                             [&](const DirectoryEntry& entry) {
                               seen.emplace_back(entry.name);
                               CHECK(entry.attributes.size == 1);
                               return image.paths().Unlink(std::string(entry.name)).ok();
                             })
              .ok());
  CHECK(seen == std::vector<std::string>{"c", "d"});
  CHECK(image.paths().List("")->size() == 2);
  const OpenFile file = *image.paths().Open("a");
  CHECK(Errno(image.fs().ReadDirectory(file.inode(), "", [](const auto&) { return true; })) == ENOTDIR);
}

TEST_CASE("a listing that is overtaken by a change and another listing teaches nothing", "[fs]") {
  Image image;
  for (const char* name : {"d/a", "d/b", "d/c"}) {
    REQUIRE(image.paths().MakeDirectories("d").ok());
    REQUIRE(image.paths().WriteFile(name, "x").ok());
  }
  image.Unmount();  // so that nothing is known of the directory
  const OpenFile directory = *image.paths().Open("d");
  int seen = 0;
  REQUIRE(image.fs()
              .ReadDirectory(directory.inode(), "",
                             [&](const DirectoryEntry&) {
                               if (++seen > 1) return true;
                               REQUIRE(image.paths().WriteFile("d/new", "precious").ok());
                               // Begun, and not ended.
                               const auto only_one = [](const DirectoryEntry&) { return false; };
                               REQUIRE(image.fs().ReadDirectory(directory.inode(), "", only_one).ok());
                               return true;
                             })
              .ok());
  REQUIRE(image.paths().ReadFile("d/new").value() == "precious");
  NewFile other;
  CHECK(Errno(image.fs().Create(directory.inode(), "new", other)) == EEXIST);
}

TEST_CASE("a long listing is made in pieces, learns all names, and sees no name twice", "[fs]") {
  Image image;
  constexpr int kNames = 3000;
  const Entry directory = *image.fs().Create(kRootInode, "d", {.type = FileType::kDirectory});
  for (int i = 0; i < kNames; ++i) {
    const auto file = image.fs().Create(directory.inode, fmt::format("{:05}", i), {});
    REQUIRE(file.ok());
    image.fs().Forget(file->inode);
  }
  image.Unmount();  // so that nothing is known of the directory
  const OpenFile opened = *image.paths().Open("d");
  std::vector<std::string> seen;
  const auto visit = [&](const DirectoryEntry& entry) {
    // What is removed behind it and what was seen already changes nothing.
    if (seen.size() == 100) REQUIRE(image.paths().Unlink("d/02500").ok());
    if (seen.size() == 200) REQUIRE(image.paths().Unlink("d/00000").ok());
    seen.emplace_back(entry.name);
    return true;
  };
  REQUIRE(image.fs().ReadDirectory(opened.inode(), "", visit).ok());
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
  CHECK(seen.size() == kNames - 1);
  // Listed once more without a change, it is known.
  seen.resize(300);
  REQUIRE(image.fs().ReadDirectory(opened.inode(), "", visit).ok());
  CHECK(seen.size() == 300 + kNames - 2);
  const uint64_t reads = Reads(image);
  CHECK(Errno(image.paths().Stat("d/99999")) == ENOENT);
  CHECK(Reads(image) == reads);
}

TEST_CASE("a listing shows sizes that are not written yet, and all names of links", "[fs]") {
  Image image;
  REQUIRE(image.paths().WriteFile("a", "12345").ok());
  REQUIRE(image.paths().Link("a", "b").ok());
  std::vector<std::string> seen;
  REQUIRE(image.fs()
              .ReadDirectory(kRootInode, "",
                             [&](const DirectoryEntry& entry) {
                               CHECK(entry.attributes.size == 5);
                               CHECK(entry.attributes.links == 2);
                               CHECK(entry.attributes.inode_number == image.paths().Stat("a")->inode_number);
                               seen.emplace_back(entry.name);
                               return true;
                             })
              .ok());
  CHECK(seen.size() == 2);
}

TEST_CASE("in a known directory, creating, removing and asking in vain read nothing", "[fs]") {
  Image image;
  REQUIRE(image.paths().MakeDirectory("listed").ok());
  for (int i = 0; i < 500; ++i) REQUIRE(image.paths().WriteFile("listed/old" + std::to_string(i), "x").ok());
  image.Unmount();
  const uint64_t at_mount = Reads(image);
  const Entry listed = *image.fs().Lookup(kRootInode, "listed");
  CHECK(Errno(image.fs().Lookup(listed.inode, "none")) == ENOENT);
  CHECK(Reads(image) == at_mount + 2);
  REQUIRE(image.paths().List("listed")->size() == 500);
  const Entry fresh = *image.fs().Create(kRootInode, "fresh", {.type = FileType::kDirectory});
  const uint64_t before = Reads(image);
  for (const Entry& directory : {listed, fresh}) {
    for (int i = 0; i < 50; ++i) {
      const std::string name = "new" + std::to_string(i);
      CHECK(Errno(image.fs().Lookup(directory.inode, name)) == ENOENT);
      const Entry file = *image.fs().Create(directory.inode, name, {});
      REQUIRE(image.fs().Write(file.inode, 3, "part of a block").ok());
      REQUIRE(image.fs().SetAttributes(file.inode, {.permissions = 0600}).ok());
      if (i % 2 == 0) REQUIRE(image.fs().Unlink(directory.inode, name).ok());
    }
    REQUIRE(image.fs().Rename(directory.inode, "new1", directory.inode, "renamed").ok());
  }
  CHECK(Reads(image) == before);
  image.Check();
}

TEST_CASE("names are learnt from a listing in chunks, and forgotten with the budget", "[fs]") {
  ImageOptions options;
  options.mount.name_cache = Bytes{16 * 300};
  Image image(options);
  REQUIRE(image.paths().MakeDirectory("d").ok());
  for (int i = 0; i < 1000; ++i) REQUIRE(image.paths().WriteFile("d/" + std::to_string(i), "").ok());
  for (int i = 0; i < 1000; ++i) {
    CHECK(Errno(image.paths().WriteFile("d/" + std::to_string(i), "y")) == 0);
    CHECK(Errno(image.paths().Create("d/" + std::to_string(i), {})) == EEXIST);
  }
  CHECK(image.paths().List("d")->size() == 1000);
  image.Check();
}

TEST_CASE("a directory with very many entries", "[fs][long]") {
  ImageOptions options;
  options.size = GiB(2);
  options.node_size = KiB(256);
  options.basement_size = KiB(16);
  options.log_size = MiB(32);
  Image image(options);
  const auto entries = static_cast<int>(1'000'000 * std::min(TestScale(), 1.0));
  const Entry directory = *image.fs().Create(kRootInode, "d", {.type = FileType::kDirectory});
  for (int i = 0; i < entries; ++i) {
    const auto file = image.fs().Create(directory.inode, "file" + std::to_string(i), {});
    REQUIRE(file.ok());
    image.fs().Forget(file->inode);
  }
  int count = 0;
  REQUIRE(image.fs().ReadDirectory(directory.inode, "", [&](const auto&) { return ++count > 0; }).ok());
  CHECK(count == entries);
  image.Check();
  REQUIRE(image.paths().RemoveTree("d").ok());
  image.Check();
}

TEST_CASE("a listing with references finds what lookups find, and teaches the names", "[fs]") {
  Image image;
  REQUIRE(image.paths().MakeDirectory("d").ok());
  REQUIRE(image.paths().MakeDirectory("d/sub").ok());
  for (int i = 0; i < 30; ++i) REQUIRE(image.paths().WriteFile("d/f" + std::to_string(i), std::string(i, 'x')).ok());
  REQUIRE(image.paths().Link("d/f3", "d/link").ok());
  image.Unmount();
  const OpenFile directory = *image.paths().Open("d");
  DirectoryStream stream(&image.fs(), directory.inode());
  std::set<std::string> seen;
  uint64_t position = 0;
  for (bool more = true; more;) {
    more = false;
    REQUIRE(stream
                .ReadReferred(position, 7,
                              [&](const DirectoryStream::ReferredItem& item) {
                                more = true;
                                position = item.next;
                                CHECK(seen.insert(std::string(item.name)).second);
                                if (item.name == "." || item.name == "..") return true;
                                const Entry found = *image.fs().Lookup(directory.inode(), item.name);
                                CHECK(found.inode == item.entry.inode);
                                CHECK(found.attributes.inode_number == item.entry.attributes.inode_number);
                                CHECK(found.attributes.size == item.entry.attributes.size);
                                image.fs().Forget(found.inode, 2);
                                return true;
                              })
                .ok());
  }
  CHECK(seen.size() == 34);
  const uint64_t reads = Reads(image);
  CHECK(Errno(image.fs().Lookup(directory.inode(), "absent")) == ENOENT);
  CHECK(Reads(image) == reads);
}

TEST_CASE("an entry that a listing with references gives back is listed again", "[fs]") {
  Image image;
  for (const char* name : {"a", "b", "c"}) REQUIRE(image.paths().WriteFile(name, "").ok());
  DirectoryStream stream(&image.fs(), kRootInode);
  std::vector<std::string> seen;
  InodeId taken;
  uint64_t position = 2;
  for (int i = 0; i < 3; ++i) {
    bool first = true;
    REQUIRE(stream
                .ReadReferred(position, 10,
                              [&](const DirectoryStream::ReferredItem& item) {
                                if (!first) return false;
                                first = false;
                                seen.emplace_back(item.name);
                                position = item.next;
                                taken = item.entry.inode;
                                return true;
                              })
                .ok());
    image.fs().Forget(taken);
    for (const char* name : {"a", "b", "c"}) {
      const InodeId inode = image.fs().Lookup(kRootInode, name)->inode;
      FsSession session(image.fs().impl());
      CHECK((*session.Find(inode))->references == 1);
      session.core().inodes().Release(*session.Find(inode), 1);
    }
  }
  CHECK(seen == std::vector<std::string>{"a", "b", "c"});
}

}  // namespace
}  // namespace betr::test
