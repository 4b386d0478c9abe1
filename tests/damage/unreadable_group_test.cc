// SPDX-License-Identifier: Apache-2.0
// A name of a file with several names, whose record lies in a node that cannot be read: it hides none of the other
// names, and copies name exactly it.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "betr/fs_error.h"
#include "betr/path_filesystem.h"
#include "betrcp.h"
#include "fs/key.h"
#include "fs/record.h"
#include "store/borrowed_device.h"
#include "support/device/bad_sectors.h"
#include "support/device/temp_dir.h"
#include "support/fs/image.h"
#include "support/must.h"
#include "support/store/node_place.h"
#include "support/tools/run_tool.h"

namespace betr::test {
namespace {

namespace key = fs::key;

constexpr size_t kFiles = 40;
const std::string kLinked = "a005b";  // in a directory of other files

ImageOptions SmallImage() {
  ImageOptions options;
  options.size = MiB(32);
  return options;
}

// A directory with files, and one more name of a file that others lie around, so that its record is in another leaf.
class Patient {
 public:
  Patient() : image_(SmallImage()) {
    PathFileSystem& paths = image_.paths();
    for (const char* const directory : {"d", "x", "y"}) Must(paths.MakeDirectory(directory));
    for (int i = 0; i < 500; ++i) {
      Must(paths.WriteFile(fmt::format("x/l{:03}", i), "linked"));
      Must(paths.Link(fmt::format("x/l{:03}", i), fmt::format("y/l{:03}", i)));
    }
    for (size_t i = 0; i < kFiles; ++i) Must(paths.WriteFile(fmt::format("d/a{:03}", i), "content"));
    Must(paths.Link("x/l250", "d/" + kLinked));
    Must(image_.fs().Sync());
    for (const std::string_view tree : {kMetaTree, kDataTree}) {
      Must(image_.fs().store().Compact(Must(image_.fs().store().FindTree(tree))));
    }
    image_.Unmount();
  }

  NodePlace PlaceOfGroup() {
    const std::string name = key::Entry(key::Content("", "d"), kLinked);
    const std::unique_ptr<Store> store = image_.OpenStore(true);
    const TreeId meta = Must(store->FindTree(kMetaTree));
    const fs::EntryRecord entry = Must(fs::DecodeEntry(Must(store->Get(meta, name)).value(), "name"));
    Must(store->Close());
    const std::string group = key::Group("", std::get<fs::Reference>(entry).id);
    const NodeId node = NodeOnTheWay(image_.device(), meta, group, 0);
    REQUIRE(node != NodeOnTheWay(image_.device(), meta, name, 0));
    return PlaceOf(image_.device(), node);
  }

  MemoryDevice& device() { return dynamic_cast<MemoryDevice&>(image_.device()); }

 private:
  Image image_;
};

std::unique_ptr<FileSystem> MountOn(BlockDevice& device) {
  StoreOptions options;
  options.background = false;
  options.cache_size = MiB(4);
  Must(FileSystem::RegisterUpserts(&options.functions));
  return Must(
      FileSystem::Mount(Must(Store::Open(std::make_unique<store::BorrowedDevice>(device), std::move(options))), {}));
}

void RequireAllListed(FileSystem& fs) {
  PathFileSystem paths(&fs);
  const OpenFile directory = Must(paths.Open("d"));
  std::set<std::string> listed;
  Must(fs.ReadDirectory(directory.inode(), "", [&](const DirectoryEntry& entry) {
    listed.emplace(entry.name);
    CHECK(entry.attributes.type == FileType::kRegular);
    CHECK(entry.attributes.links == (entry.name == kLinked ? 0 : 1));
    return true;
  }));
  CHECK(listed.size() == kFiles + 1);
  const auto found = Must(fs.LookupAfter(directory.inode(), "", 2 * kFiles));
  CHECK(found.size() == kFiles + 1);
  for (const NamedEntry& one : found) {
    CHECK((one.entry.inode == InodeId{}) == (one.name == kLinked));
    if (one.entry.inode != InodeId{}) fs.Forget(one.entry.inode);
  }
  CHECK(paths.Stat("d/a039").ok());
}

TEST_CASE("a link group that the device cannot read hides no other name", "[damage]") {
  Patient patient;
  const NodePlace place = patient.PlaceOfGroup();
  BadSectors bad(patient.device());
  bad.Spoil(place.begin, place.end - place.begin);
  const std::unique_ptr<FileSystem> fs = MountOn(bad);
  RequireAllListed(*fs);
  CHECK(ToErrno(PathFileSystem(fs.get()).Stat("d/" + kLinked).status()) == EIO);
}

TEST_CASE("a damaged link group hides no other name, and copies name what has it", "[damage]") {
  Patient patient;
  const NodePlace place = patient.PlaceOfGroup();
  Must(patient.device().Patch(place.begin, std::string((place.end - place.begin).value, '\0')));
  {
    const std::unique_ptr<FileSystem> fs = MountOn(patient.device());
    RequireAllListed(*fs);
    CHECK(ToErrno(PathFileSystem(fs.get()).Stat("d/" + kLinked).status()) == EUCLEAN);
  }
  TempDir dir;
  std::string bytes(patient.device().Size().value, '\0');
  Must(patient.device().Read(Bytes{0}, bytes));
  std::ofstream(dir.File("image"), std::ios::binary) << bytes;
  std::filesystem::create_directory(dir.File("out"));
  tools::ToolRun run;
  CHECK(run.Run(tools::BetrcpMain, {"-a", dir.File("image") + ":/d", dir.File("out")}) == 4);
  INFO(run.err);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.File("out/d")), {}) == kFiles);
  CHECK(run.err.starts_with("betrcp: export: /d/" + kLinked + ": "));
  CHECK(std::ranges::count(run.err, '\n') == 1);
  CHECK(run.Run(tools::BetrcpMain, {"--tar", dir.File("image") + ":/d", dir.File("archive")}) == 4);
  INFO(run.err);
  CHECK_THAT(run.err, Catch::Matchers::Contains("/" + kLinked + ": "));
  CHECK(std::ranges::count(run.err, '\n') == 1);
}

}  // namespace
}  // namespace betr::test
