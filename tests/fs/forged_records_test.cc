// SPDX-License-Identifier: Apache-2.0
// Records that are sound each by itself, under good checksums, and together make no file system: what an image that
// somebody has made, or a repair has misjudged, may hold.
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "fs/key.h"
#include "fs/pending_erases.h"
#include "fs/record.h"
#include "support/fs/planted.h"
#include "support/must.h"

namespace betr::test {
namespace {

using planted::Damage;
using planted::Fill;
using planted::Repair;
using planted::Trees;
namespace key = fs::key;

// Nothing that Fill made has gone with what was tried, also for the next mount.
void CheckUntouched(Image& image) {
  image.Unmount();
  CHECK(Must(image.paths().ReadFile("d/f")) == std::string(10000, 'f'));
  CHECK(Must(image.paths().ReadFile("d/sub/g")) == "g");
}

void ForgeGroup(const Trees& t, const fs::InodeRecord& record) {
  Must(t.store.Put(t.meta, planted::GroupKey(t), fs::EncodeInode(record)));
}

void ForgeReferences(const Trees& t, FileType type) {
  const uint64_t id = key::ParseMeta(planted::GroupKey(t))->id;
  for (const std::string& name : {key::Entry("", "l"), key::Entry(key::Content("", "d"), "l")}) {
    Must(t.store.Put(t.meta, name, fs::EncodeReference({type, id})));
  }
}

void CheckNameIsRefused(Image& image, const std::string& directory) {
  PathFileSystem& paths = image.paths();
  const std::string name = directory + "/l";
  CHECK(Errno(paths.List(directory)) == EUCLEAN);
  CHECK(Errno(paths.Stat(name)) == EUCLEAN);
  CHECK(Errno(paths.List(name)) == EUCLEAN);
  CHECK(Errno(paths.WriteFile(name + "/x", "x")) == EUCLEAN);
  CHECK(Errno(paths.Walk("", [](const std::string&, const FileAttributes&) { return absl::OkStatus(); })) == EUCLEAN);
  CHECK(Errno(paths.Clone(name, "clone")) == EUCLEAN);
  CHECK(Errno(paths.Clone(directory + "/.", "clone")) == EUCLEAN);
  CHECK(Errno(paths.Rename(name, "renamed")) == EUCLEAN);
  CHECK(Errno(paths.Unlink(name)) == EUCLEAN);
  CHECK(Errno(paths.RemoveDirectory(name)) == EUCLEAN);
  CHECK(Errno(paths.RemoveTree(name)) == EUCLEAN);
}

TEST_CASE("a link group that is a directory is none", "[fs][links]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) {
    fs::InodeRecord record;
    record.type = FileType::kDirectory;
    record.links = 2;
    record.number = 1;
    SECTION("as its names do not say") {}
    SECTION("as its names say") { ForgeReferences(t, FileType::kDirectory); }
    SECTION("in a zone") { record.zone = 5; }
    ForgeGroup(t, record);
  });
  CheckNameIsRefused(image, "d");
  CHECK(Errno(image.paths().RemoveTree("d")) == EUCLEAN);
  CheckUntouched(image);
  image.Unmount();
  Repair(image);
  CheckUntouched(image);
  image.Check();
}

TEST_CASE("a link group of another type than its names say is not theirs", "[fs][links]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) { ForgeReferences(t, FileType::kSymlink); });
  CHECK(Errno(image.paths().Stat("l")) == EUCLEAN);
  CHECK(Errno(image.paths().Stat("d/l")) == EUCLEAN);
  CHECK(Errno(image.paths().List("d")) == EUCLEAN);
  CheckUntouched(image);
  image.Unmount();
  Repair(image);
  CHECK(Must(image.paths().ReadFile("d/l")) == "linked");
  image.Check();
}

TEST_CASE("a link group that counts too few names stays while one is known", "[fs][links]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) {
    fs::InodeRecord record = Must(fs::DecodeInode(*Must(t.store.Get(t.meta, planted::GroupKey(t))), "group"));
    record.links = 1;
    ForgeGroup(t, record);
  });
  PathFileSystem& paths = image.paths();
  const OpenFile one = Must(paths.Open("l"));
  const OpenFile other = Must(paths.Open("d/l"));
  REQUIRE(one.inode() == other.inode());
  SECTION("and one is removed") {
    Must(paths.Unlink("l"));
    CHECK(Must(paths.ReadFile("d/l")) == "linked");
    Must(paths.Unlink("d/l"));
  }
  SECTION("and the tree of one is removed") { CHECK(Errno(paths.RemoveTree("d")) == EUCLEAN); }
}

TEST_CASE("a link group that lists a name too many stays while another one is known", "[fs][links]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) {
    const uint64_t id = key::ParseMeta(planted::GroupKey(t))->id;
    const std::string ghost = key::GroupName("", key::Entry(key::Content("", "d"), "ghost"));
    Must(t.store.Put(t.meta, ghost, fs::EncodeGroupName(id)));
  });
  PathFileSystem& paths = image.paths();
  const OpenFile one = Must(paths.Open("l"));
  const OpenFile other = Must(paths.Open("d/l"));
  CHECK(Errno(paths.RemoveTree("d")) == EUCLEAN);
  CHECK(Must(paths.ReadFile("l")) == "linked");
}

TEST_CASE("an interrupted erase is none of the whole file system", "[fs]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) {
    const TreeId tree = GENERATE(0, 1) == 0 ? t.meta : t.data;
    const std::vector<fs::TreeRange> all = {{tree, GENERATE(Range::All(), Range::Prefix("/"))}};
    Must(t.store.Put(t.meta, key::kErasesKey, fs::EncodeErases(t.meta, all)));
  });
  CHECK(Errno(FileSystem::Mount(image.OpenStore(), {})) == EUCLEAN);
  Repair(image);
  CheckUntouched(image);
  image.Check();
}

TEST_CASE("a removal that ends at what is damaged leaves directories that can be removed", "[fs]") {
  constexpr int kLinks = 256;  // as many as go in one batch, before the one that cannot be found
  Image image;
  Must(image.paths().MakeDirectories("d/s"));
  Must(image.paths().MakeDirectories("d/z"));
  for (int i = 0; i < kLinks; ++i) {
    const std::string name = std::to_string(i);
    Must(image.paths().WriteFile(name, ""));
    Must(image.paths().Link(name, "d/s/" + name));
  }
  Must(image.paths().WriteFile("bad", ""));
  Must(image.paths().Link("bad", "d/z/bad"));
  image.Unmount();
  Damage(image, [](const Trees& t) {
    const std::string bad = *Must(t.store.Get(t.meta, key::Entry("", "bad")));
    const uint64_t id = std::get<fs::Reference>(Must(fs::DecodeEntry(bad, "bad"))).id;
    Must(t.store.Erase(t.meta, key::Group("", id)));
  });
  PathFileSystem& paths = image.paths();
  REQUIRE(Must(paths.List("d/s")).size() == kLinks);
  REQUIRE(Errno(paths.RemoveTree("d")) == EUCLEAN);
  REQUIRE(Must(paths.List("d/s")).empty());
  CHECK(paths.RemoveDirectory("d/s").ok());
}

}  // namespace
}  // namespace betr::test
