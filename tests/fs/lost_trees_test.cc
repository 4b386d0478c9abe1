// SPDX-License-Identifier: Apache-2.0
// Trees that a salvage could not give a name: what is known for one, and where what is in it goes.
#include "fs/check/lost_trees.h"

#include <absl/strings/str_format.h>

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "fs/check/check.h"
#include "fs/key.h"
#include "fs/record.h"
#include "store/offline/salvage.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

namespace key = fs::key;

const std::string kD = key::Content("", "d");

std::string LostName(int node) { return absl::StrFormat("%s%d", store::kLostTreePrefix, node); }

void Fill(Image& image) {
  Must(image.paths().MakeDirectories("d"));
  Must(image.paths().WriteFile("d/f", "content"));
  Must(image.paths().WriteFile("d/g", std::string(5000, 'g')));
  image.Unmount();
}

// Takes what is below /d out of the file system, as a salvage would have found it.
void LoseD(Store& store, int node) {
  const TreeId meta = Must(store.FindTree(kMetaTree));
  const TreeId lost = Must(store.CreateTree(LostName(node)));
  Must(store.RenamePrefix(meta, kD, lost, ""));
}

size_t Found(const Store& store) { return Must(fs::FindLostTrees(store)).size(); }

std::vector<std::string> Adopt(Store& store) {
  std::vector<std::string> actions;
  Must(fs::AdoptLostTrees(&store, [&](std::string_view action) { actions.emplace_back(action); }));
  return actions;
}

void RepairFiles(Store& store) {
  CHECK(Must(fs::RepairFileSystem(&store, nullptr, [](const fs::CheckFinding&) {})).errors_left == 0);
}

TEST_CASE("what is in a lost tree is found in lost+found, with directories that lead there", "[fs]") {
  Image image;
  Fill(image);
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    LoseD(*store, 7);
    LoseD(*store, 8);  // empty
    CHECK(Found(*store) == 2);
    CHECK(Adopt(*store) == std::vector<std::string>{"node 7: files in /lost+found/node-7"});
    CHECK(Found(*store) == 0);
    Must(store->Close());
  }
  // As it is: nothing that no path leads to.
  CHECK(*image.paths().List("lost+found") == std::vector<std::string>{"node-7"});
  CHECK(*image.paths().List("lost+found/node-7") == std::vector<std::string>{"f", "g"});
  CHECK(image.paths().Stat("")->links == 4);
  CHECK(image.paths().Stat("lost+found")->links == 3);
  image.Unmount();
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    RepairFiles(*store);
    Must(store->Close());
  }
  image.Check();
}

TEST_CASE("what an earlier repair has put into lost+found stays there", "[fs]") {
  Image image;
  Fill(image);
  for (const char* name : {"node-7", "node-7-2", "node-7-3"}) {
    std::unique_ptr<Store> store = image.OpenStore();
    LoseD(*store, 7);
    CHECK(Adopt(*store) == std::vector<std::string>{absl::StrFormat("node 7: files in /lost+found/%s", name)});
    RepairFiles(*store);
    Must(store->Close());
    store.reset();
    Must(image.paths().WriteFile("d/f", name));
    image.Unmount();
  }
  CHECK(image.paths().Stat("lost+found/node-7/g")->size == 5000);
  CHECK(image.paths().Stat("lost+found/node-7-3/f")->size == 8);
  image.Check();
}

TEST_CASE("lost+found has a number that nothing in it has, also where an older bound shows", "[fs]") {
  Image image;
  Fill(image);
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    LoseD(*store, 7);
    Must(store->Put(Must(store->FindTree(kMetaTree)), key::kNumberBoundKey, fs::EncodeNumberBound(3)));
    Adopt(*store);
    Must(store->Close());
  }
  std::set<uint64_t> numbers;
  for (const char* const path : {"lost+found", "lost+found/node-7", "lost+found/node-7/f", "lost+found/node-7/g"}) {
    CHECK(numbers.insert(image.paths().Stat(path)->inode_number).second);
  }
  image.Unmount();
}

// A node that a clone shared is found, too, if the clone's names are lost.
TEST_CASE("what is in lost+found has other numbers than what it was a clone of", "[fs]") {
  Image image;
  Fill(image);
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    const TreeId lost = Must(store->CreateTree(LostName(7)));
    Must(store->ClonePrefix(Must(store->FindTree(kMetaTree)), kD, lost, ""));
    Adopt(*store);
    Must(store->Close());
  }
  CHECK(image.paths().Stat("lost+found/node-7/f")->inode_number != image.paths().Stat("d/f")->inode_number);
  image.Unmount();
}

TEST_CASE("lost trees are told from those of other stores", "[fs]") {
  Image image;
  Fill(image);
  const std::unique_ptr<Store> store = image.OpenStore();
  const TreeId meta = Must(store->FindTree(kMetaTree));
  const TreeId data = Must(store->FindTree(kDataTree));
  CHECK(Found(*store) == 0);
  SECTION("no tree for content") {
    Must(store->DropTree(data));
    CHECK(Found(*store) == 1);
    CHECK(Adopt(*store) == std::vector<std::string>{"tree \"data\": made anew, empty"});
    CHECK(Found(*store) == 0);
  }
  SECTION("no tree for names") {
    Must(store->DropTree(meta));
    CHECK(Found(*store) == 1);
  }
  SECTION("a store with a tree that is called so") {
    Must(store->DropTree(meta));
    Must(store->DropTree(data));
    Must(store->Put(Must(store->CreateTree("data")), "key", "value"));
    CHECK(Found(*store) == 0);
    Must(store->Put(Must(store->CreateTree(LostName(1))), "key", "value"));
    CHECK(Found(*store) > 0);  // it was salvaged: what it was is not known any more
  }
}

TEST_CASE("both trees of a file system are lost", "[fs]") {
  Image image;
  Fill(image);
  const std::unique_ptr<Store> store = image.OpenStore();
  const TreeId meta = Must(store->FindTree(kMetaTree));
  const TreeId data = Must(store->FindTree(kDataTree));
  const TreeId names = Must(store->CreateTree(LostName(1)));
  const TreeId content = Must(store->CreateTree(LostName(2)));
  Must(store->ClonePrefix(meta, "", names, ""));
  Must(store->ClonePrefix(data, "", content, ""));
  Must(store->DropTree(meta));
  CHECK(Found(*store) == 3);
  Must(store->DropTree(data));
  CHECK(Found(*store) == 4);
  SECTION("and whole") {
    CHECK(Adopt(*store) ==
          std::vector<std::string>{"tree \"meta\": found as node 1", "tree \"data\": found as node 2"});
    CHECK(store->Trees().size() == 2);
    CHECK(Must(fs::CheckFileSystem(store.get(), {}, [](const fs::CheckFinding&) {})).findings == 0);
  }
  SECTION("but for some of the records that only one of them has") {
    const char* const version = GENERATE("", "x");
    Must(store->Erase(names, key::kVersionKey));
    if (*version != '\0') Must(store->Put(names, key::kVersionKey, version));
    Must(store->Erase(names, GENERATE(key::kRootObject, key::kNumberBoundKey)));
    CHECK(Found(*store) == 4);
    CHECK(Adopt(*store) ==
          std::vector<std::string>{"tree \"meta\": found as node 1", "tree \"data\": found as node 2"});
    RepairFiles(*store);
    Must(store->Close());
    CHECK(*image.paths().ReadFile("d/f") == "content");
  }
  SECTION("but for all of these") {
    Must(store->EraseRange(names, Range::Prefix(key::kGlobalPrefix)));
    CHECK(Found(*store) == 4);
    CHECK(Adopt(*store) == std::vector<std::string>{"tree \"meta\": made anew, empty", "tree \"data\": found as node 2",
                                                    "node 1: files in /lost+found/node-1"});
    RepairFiles(*store);
    Must(store->Close());
    CHECK(image.paths().Stat("lost+found/node-1/d/f")->size == 7);
  }
  SECTION("and the version is one that nobody knows") {
    std::string version = *Must(store->Get(names, key::kVersionKey));
    version[2] = 9;
    REQUIRE(absl::IsUnimplemented(fs::DecodeVersion(version).status()));
    Must(store->Put(names, key::kVersionKey, version));
    Must(store->EraseRange(names, Range::Prefix(key::Content("", ""))));
    CHECK(Found(*store) == 0);
  }
}

TEST_CASE("the names of trees tell whether any may be lost", "[fs]") {
  const auto may_have = [](std::vector<std::string> names) { return fs::MayHaveLostTrees(names); };
  CHECK_FALSE(may_have({}));
  CHECK_FALSE(may_have({"meta", "data"}));
  CHECK_FALSE(may_have({"main", "other"}));
  CHECK(may_have({"meta", "other"}));
  CHECK(may_have({"meta", "data", "lost+found.5"}));
}

}  // namespace
}  // namespace betr::test
