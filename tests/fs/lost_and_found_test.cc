// SPDX-License-Identifier: Apache-2.0
// What a salvage finds no place for goes to /lost+found, whatever is there already, and nothing of that is replaced.
#include <absl/strings/str_format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "fs/check/lost_trees.h"
#include "fs/key.h"
#include "fs/record.h"
#include "store/offline/salvage.h"
#include "support/fs/planted.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using planted::Damage;
using planted::Fill;
using planted::Repair;
using planted::Run;
using planted::Trees;
namespace key = fs::key;

const std::string kD = key::Content("", "d");
const std::string kSub = key::Content(kD, "sub");
const std::string kLost = key::Content("", "lost+found");
const std::string kTen(10000, 'f');

std::string FileRecord(uint64_t size) {
  fs::InodeRecord record;
  record.permissions = 0644;
  record.number = 5;
  record.size = size;
  return fs::EncodeInode(record);
}

// Makes a file of /d, so that what is below it has no place.
void MakeFileOfD(const Trees& t) { Must(t.store.Put(t.meta, key::Entry("", "d"), FileRecord(0))); }

void RepairWell(Image& image) {
  Repair(image);
  CHECK(Run(image, false).empty());
}

std::string ReadFile(Image& image, const std::string& path) {
  INFO(path << " in\n" << Describe(image.paths(), ""));
  return Must(image.paths().ReadFile(path));
}

// Writes until less than a `part` of the space is available.
void FillUpTo(Image& image, uint64_t part) {
  Random random(TestSeed());
  const auto is_short = [&] {
    const SpaceStats space = image.fs().store().Space();
    return space.available.value < space.total.value / part;
  };
  for (int i = 0; !is_short(); ++i) {
    Must(image.paths().WriteFile("filler" + std::to_string(i), random.String(KiB(64).value)));
    Must(image.fs().Sync());
  }
}

void MakeFileOfLostAndFound(Image& image, bool is_link) {
  Must(image.paths().WriteFile("other", "mine"));
  Must(is_link ? image.paths().Link("other", "lost+found") : image.paths().Rename("other", "lost+found"));
}

TEST_CASE("a salvage ends where lost+found is no directory", "[fs][lost]") {
  Image image;
  MakeFileOfLostAndFound(image, GENERATE(false, true));
  Fill(image);
  std::string directory = "lost+found-2";
  SECTION("what is below a file") { Damage(image, MakeFileOfD); }
  SECTION("what is below lost+found itself") {
    directory = "lost+found-2/lost+found";
    Damage(image, [](const Trees& t) {
      for (const TreeId tree : {t.meta, t.data}) Must(t.store.RenamePrefix(tree, kD, tree, key::Content(kLost, "d")));
    });
  }
  SECTION("files without records") {
    Damage(image, [](const Trees& t) {
      Must(t.store.Erase(t.meta, key::Entry(kD, "f")));
      Must(t.store.Erase(t.meta, key::Entry(kSub, "g")));
    });
  }
  RepairWell(image);
  CHECK(ReadFile(image, "lost+found") == "mine");
  CHECK(ReadFile(image, directory + "/d/f") == kTen);
  CHECK(ReadFile(image, directory + "/d/sub/g") == "g");
}

TEST_CASE("a lost tree finds a place where lost+found is no directory", "[fs][lost]") {
  Image image;
  MakeFileOfLostAndFound(image, GENERATE(false, true));
  Fill(image);
  Damage(image, [](const Trees& t) {
    const std::string name = absl::StrFormat("%s7", store::kLostTreePrefix);
    Must(t.store.RenamePrefix(t.meta, kD, Must(t.store.CreateTree(name)), ""));
    const auto act = [](std::string_view action) { CHECK(action == "node 7: files in /lost+found-2/node-7"); };
    Must(fs::AdoptLostTrees(&t.store, act));
  });
  CHECK(*image.paths().List("lost+found-2/node-7") == std::vector<std::string>{"f", "l", "sub"});
  image.Unmount();
  RepairWell(image);
  CHECK(ReadFile(image, "lost+found") == "mine");
  CHECK(ReadFile(image, "lost+found-2/d/f") == kTen);
}

// Directories below /d with a file in each, and in the last one a file whose path is as long as may be.
std::string FillLong(Image& image) {
  PathFileSystem& paths = image.paths();
  std::string path = "d";
  while (path.size() + 256 < kMaxPathSize - 1) {
    path += "/" + std::string(255, static_cast<char>('a' + path.size() / 256));
    Must(paths.MakeDirectories(path));
    Must(paths.WriteFile(path + "/f", kTen));
  }
  path += "/" + std::string(kMaxPathSize - 1 - path.size(), 'z');
  REQUIRE(path.size() == kMaxPathSize);
  Must(paths.WriteFile(path, kTen));
  Must(paths.Link(path, "link"));
  return path;
}

// How many files of kTen there are.
int CountTens(Image& image) {
  int count = 0;
  Must(image.paths().Walk("", [&](const std::string& name, const FileAttributes& attributes) {
    count += attributes.type == FileType::kRegular && Must(image.paths().ReadFile(name)) == kTen ? 1 : 0;
    return absl::OkStatus();
  }));
  return count;
}

TEST_CASE("what is too long for lost+found is cut, and can be removed", "[fs][lost]") {
  Image image;
  FillLong(image);
  const int count = CountTens(image);
  std::function<void(const Trees&)> damage;
  SECTION("below what is no directory") { damage = MakeFileOfD; }
  SECTION("twice") {
    damage = [](const Trees& t) {
      MakeFileOfD(t);
      for (const TreeId tree : {t.meta, t.data}) Must(t.store.ClonePrefix(tree, kD, tree, key::Content(kLost, "d")));
    };
  }
  SECTION("without records") {
    damage = [](const Trees& t) { Must(t.store.EraseRange(t.meta, Range::Prefix(kD))); };
  }
  image.Unmount();
  Damage(image, damage);
  RepairWell(image);
  CHECK(CountTens(image) >= count - 1);
  for (const std::string& name : Must(image.paths().List(""))) Must(image.paths().RemoveTree(name));
  CHECK(Must(image.paths().List("")).empty());
  image.Unmount();
  CHECK(Run(image, false).empty());
}

TEST_CASE("a salvage cuts paths that are much too long", "[fs][lost]") {
  Image image;
  Fill(image);
  std::string content = kSub;
  for (int i = 0; i < 4000; ++i) content = key::Content(content, "aa");
  REQUIRE(content.size() < kMaxKeySize.value);
  Damage(image, [&](const Trees& t) {
    for (const TreeId tree : {t.meta, t.data}) Must(t.store.ClonePrefix(tree, kD, tree, content));
    Must(t.store.ClonePrefix(t.data, kD, t.data, key::Content(content, "bb")));
  });
  RepairWell(image);
  int found = 0;
  Must(image.paths().Walk("", [&](const std::string& name, const FileAttributes&) {
    found += name.ends_with("/f") ? 1 : 0;
    return absl::OkStatus();
  }));
  CHECK(found == 4);  // the last clone has the first one in it
}

TEST_CASE("content without a file stays where it is when space is short", "[fs][lost]") {
  ImageOptions options;
  options.size = MiB(16);
  Image image(options);
  Fill(image);
  const auto erase = [](const Trees& t) { Must(t.store.Erase(t.meta, key::Entry(kSub, "g"))); };
  SECTION("there is enough") {
    Damage(image, erase);
    RepairWell(image);
    CHECK(ReadFile(image, "lost+found/d/sub/g") == "g");
    CHECK_FALSE(Must(image.paths().Exists("d/sub/g")));
  }
  SECTION("there is little") {
    FillUpTo(image, 6);
    image.Unmount();
    Damage(image, erase);
    RepairWell(image);
    CHECK(ReadFile(image, "d/sub/g") == "g");
    CHECK(Must(image.paths().Stat("d/sub/g")).permissions == 0600);
    CHECK_FALSE(Must(image.paths().Exists("lost+found")));
  }
}

TEST_CASE("a salvage ends where the record of the root is that of a file", "[fs][lost]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) { Must(t.store.Put(t.meta, key::kRootObject, FileRecord(0))); });
  RepairWell(image);
  CHECK(ReadFile(image, "d/f") == kTen);
}

TEST_CASE("a salvage ends where something is below a file in lost+found", "[fs][lost]") {
  Image image;
  Must(image.paths().MakeDirectories("lost+found"));
  const std::string name = GENERATE("lost+found", "again-1");
  Must(image.paths().WriteFile("lost+found/" + name, "mine"));
  Fill(image);
  Damage(image, [&](const Trees& t) {
    for (const TreeId tree : {t.meta, t.data}) Must(t.store.RenamePrefix(tree, kD, tree, key::Content(kLost, name)));
  });
  RepairWell(image);
  CHECK(ReadFile(image, "lost+found/" + name) == "mine");
}

TEST_CASE("what an earlier salvage has put into lost+found is not replaced", "[fs][lost]") {
  Image image;
  Fill(image);
  std::function<void(const Trees&)> damage;
  SECTION("a directory") { damage = MakeFileOfD; }
  SECTION("a file") {
    damage = [](const Trees& t) { Must(t.store.Erase(t.meta, key::Entry(kD, "f"))); };
  }
  const std::string places[] = {"lost+found/d/f", "lost+found/again-1/d/f", "lost+found/again-2/d/f"};
  for (const std::string& place : places) {
    Damage(image, damage);
    RepairWell(image);
    CHECK(ReadFile(image, place) == kTen);
    if (image.paths().Stat("d")->type != FileType::kDirectory) Must(image.paths().RemoveTree("d"));
    Must(image.paths().MakeDirectories("d"));
    Must(image.paths().WriteFile("d/f", kTen));
    image.Unmount();
  }
  for (const std::string& place : places) CHECK(ReadFile(image, place) == kTen);
}

TEST_CASE("content in lost+found that has lost its file itself is not replaced", "[fs][lost]") {
  Image image;
  Must(image.paths().MakeDirectories("lost+found/d"));
  Must(image.paths().WriteFile("lost+found/d/f", "earlier"));
  Fill(image);
  Damage(image, [](const Trees& t) {
    Must(t.store.Erase(t.meta, key::Entry(kD, "f")));
    Must(t.store.Erase(t.meta, key::Entry(key::Content(kLost, "d"), "f")));
  });
  RepairWell(image);
  CHECK(ReadFile(image, "lost+found/d/f") == "earlier");
  CHECK(ReadFile(image, "lost+found/again-1/d/f") == kTen);
}

// Puts content where a name of a file with several names lies: the file's own content is elsewhere.
void PlantBelowLink(Image& image, const std::string& path) {
  Must(image.paths().WriteFile(path, "of the links"));
  Must(image.paths().Link(path, "second"));
  Must(image.paths().Unlink("second"));
  Must(image.paths().Link(path, "other"));
  image.Unmount();
  Damage(image, [&](const Trees& t) {
    const std::string entry = path == "link" ? key::Entry("", "link") : key::Entry(kLost, "link");
    Must(t.store.Put(t.data, key::Block(entry, 0), "stray"));
  });
}

TEST_CASE("content where a link lies does not take the link's place", "[fs][lost][links]") {
  ImageOptions options;
  options.size = MiB(16);
  Image image(options);
  std::string link = "link";
  SECTION("there is room") {}
  SECTION("space is short") { FillUpTo(image, 6); }
  SECTION("in lost+found") {
    link = "lost+found/link";
    Must(image.paths().MakeDirectories("lost+found"));
  }
  PlantBelowLink(image, link);
  RepairWell(image);
  CHECK(ReadFile(image, link) == "of the links");
  CHECK(ReadFile(image, "other") == "of the links");
  CHECK(Must(image.paths().Stat(link)).links == 2);
  CHECK(ReadFile(image, link == "link" ? "lost+found/link" : "lost+found/again-1/link") == "stray");
}

TEST_CASE("content without a file below what is no directory is found once", "[fs][lost]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) {
    MakeFileOfD(t);
    Must(t.store.Erase(t.meta, key::Entry(kD, "f")));
  });
  RepairWell(image);
  CHECK(ReadFile(image, "lost+found/d/sub/g") == "g");
  CHECK(ReadFile(image, "lost+found/d/f") == kTen);
}

}  // namespace
}  // namespace betr::test
