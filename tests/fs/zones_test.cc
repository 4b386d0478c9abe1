// SPDX-License-Identifier: Apache-2.0
// Zones (docs/ablations.md): what renames cost with them, where things lie, and that nobody sees a difference, also of
// those who open the image without the experiment.
#include "fs/zones.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "fs/key.h"
#include "fs/record.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {
namespace {

namespace key = fs::key;

constexpr Bytes kZone = KiB(64);

Experiments ZonesOf(Bytes size) {
  Experiments experiments;
  experiments.zone_size = size;
  return experiments;
}

ImageOptions Zoned(Bytes zone, Bytes write_behind = MiB(1)) {
  ImageOptions options;
  options.experiments = ZonesOf(zone);
  options.mount.write_behind = write_behind;
  return options;
}

// All that lies in zones, in both trees: keys and sizes of values.
std::map<std::string, size_t> InZones(Image& image) {
  std::map<std::string, size_t> found;
  const Store& store = image.fs().store();
  for (const std::string_view tree : {kMetaTree, kDataTree}) {
    const auto cursor = *store.NewCursor(*store.FindTree(tree), Range::Prefix(key::kZonesPrefix));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      found[std::string(tree) + std::string(cursor->Key())] = cursor->Value().size();
    }
    REQUIRE(cursor->status().ok());
  }
  return found;
}

// How much lies in each zone.
std::map<uint64_t, size_t> SizesOfZones(Image& image) {
  std::map<uint64_t, size_t> sizes;
  for (const auto& [key, size] : InZones(image)) sizes[key::ZoneOf(key.substr(kMetaTree.size()))] += key.size() + size;
  return sizes;
}

fs::VersionRecord VersionOf(Image& image) {
  const Store& store = image.fs().store();
  return *fs::DecodeVersion(**store.Get(*store.FindTree(kMetaTree), key::kVersionKey));
}

// What a rename writes into the store. All of it is there afterwards.
Bytes CostOfRename(Image& image, const std::string& from, const std::string& to) {
  const std::string before = Describe(image.paths(), from);
  const Bytes written = image.fs().store().Stats().bytes_batches;
  REQUIRE(image.paths().Rename(from, to).ok());
  const Bytes cost = image.fs().store().Stats().bytes_batches - written;
  CHECK(Describe(image.paths(), to) == before);
  CHECK(Errno(image.paths().Stat(from)) == ENOENT);
  return cost;
}

// Four files of that size each.
void MakeFiles(Image& image, const std::string& directory, size_t size) {
  REQUIRE(image.paths().MakeDirectories(directory).ok());
  for (int i = 0; i < 4; ++i) {
    REQUIRE(image.paths().WriteFile(directory + "/" + std::to_string(i), std::string(size, 'f')).ok());
  }
}

// A directory that is the root of a zone, without any below.
void MakeZone(Image& image, const std::string& directory) {
  MakeFiles(image, directory, kZone.value / 3);
  REQUIRE(image.paths().Rename(directory, "for-a-moment").ok());
  REQUIRE(image.paths().Rename("for-a-moment", directory).ok());
}

TEST_CASE("with zones what is small is copied, and what is large becomes a zone once", "[fs][ablation]") {
  Image image(Zoned(kZone, GENERATE(KiB(16), MiB(1))));  // copies of several batches, and of one
  SECTION("files, also while they are gathered") {
    REQUIRE(image.paths().WriteFile("small", std::string(50'000, 's')).ok());
    REQUIRE(image.paths().WriteFile("large", std::string(100'000, 'l')).ok());
    CHECK(CostOfRename(image, "small", "small.new") > Bytes{50'000});
    CHECK(CostOfRename(image, "large", "large.new") < KiB(4));
  }
  SECTION("a directory counts with all that is below it") {
    image.Remount({});  // nothing is split as it grows
    MakeFiles(image, "small/sub", 10'000);
    MakeFiles(image, "large/sub/deep", 30'000);
    image.Remount(ZonesOf(kZone));
    CHECK(CostOfRename(image, "small", "small.new") > Bytes{40'000});
    CHECK(InZones(image).empty());
    CHECK(CostOfRename(image, "large", "large.new") > Bytes{120'000});
    CHECK(CostOfRename(image, "large.new", "large") < KiB(1));
    CHECK(CostOfRename(image, "large", "small.new/large") < KiB(1));
    CHECK(CostOfRename(image, "small.new/large/sub/deep/1", "1") > Bytes{30'000});
    CHECK(CostOfRename(image, "small.new", "small") < Bytes{60'000});  // but for the zone in it
  }
  image.Check();
}

TEST_CASE("with zones, something large replaces something small, and the other way round", "[fs][ablation]") {
  Image image(Zoned(kZone, KiB(16)));
  REQUIRE(image.paths().WriteFile("small", std::string(20'000, 's')).ok());
  REQUIRE(image.paths().WriteFile("large", std::string(200'000, 'l')).ok());
  REQUIRE(image.paths().WriteFile("other", std::string(200'000, 'o')).ok());
  CHECK(CostOfRename(image, "small", "other") > Bytes{20'000});
  CHECK(CostOfRename(image, "large", "other") < KiB(4));
  CHECK(image.paths().List("")->size() == 1);
  image.Check();
}

TEST_CASE("a rename of a zone's root touches no key of the zone", "[fs][ablation]") {
  Image image(Zoned(kZone));
  MakeZone(image, "zone");
  REQUIRE(image.paths().MakeDirectories("zone/sub/deep").ok());
  REQUIRE(image.paths().MakeDirectories("some/where").ok());
  const std::map<std::string, size_t> before = InZones(image);
  REQUIRE(before.size() > 20);
  CHECK(CostOfRename(image, "zone", "some/where/else") < KiB(1));
  CHECK(InZones(image) == before);
  REQUIRE(image.paths().MakeDirectory("zone").ok());
  REQUIRE(image.paths().Rename("zone", "some/where/else", RenameMode::kExchange).ok());
  CHECK(InZones(image) == before);
  CHECK(image.paths().List("zone")->size() == 5);
  CHECK(image.paths().List("some/where/else")->empty());
  image.Check();
}

TEST_CASE("the first zone makes an image one that only programs with zones open", "[fs][ablation]") {
  Image image(Zoned(kZone));
  MakeFiles(image, "small", 1000);
  REQUIRE(image.paths().Rename("small", "small.new").ok());
  CHECK_FALSE(VersionOf(image).has_zones);
  MakeZone(image, "zone");
  CHECK(VersionOf(image).has_zones);
  CHECK(VersionOf(image).created == FileTime{1'000'000'000, 0});
  REQUIRE(image.paths().RemoveTree("zone").ok());
  CHECK(VersionOf(image).has_zones);
  image.Check();
}

TEST_CASE("without the experiment zones stay, and no new ones are made", "[fs][ablation]") {
  Image image(Zoned(kZone));
  MakeZone(image, "zone");
  image.Remount({});
  const std::map<std::string, size_t> before = InZones(image);
  REQUIRE_FALSE(before.empty());
  CHECK(CostOfRename(image, "zone", "moved") < KiB(1));
  CHECK(InZones(image) == before);
  MakeFiles(image, "large/sub", 40'000);
  CHECK(CostOfRename(image, "large", "large.new") < KiB(1));
  CHECK(InZones(image) == before);
  REQUIRE(image.paths().WriteFile("moved/more", "more").ok());
  REQUIRE(image.fs().Flush().ok());
  CHECK(InZones(image).size() == before.size() + 2);
  image.Check();
  CHECK(*image.paths().ReadFile("moved/more") == "more");
}

TEST_CASE("zones that grow are split", "[fs][ablation]") {
  constexpr Bytes kSmall = KiB(16);
  Image image(Zoned(kSmall, KiB(4)));
  std::string before;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 6; ++b) MakeFiles(image, "a" + std::to_string(a) + "/b" + std::to_string(b), 1500);
  }
  const std::map<uint64_t, size_t> sizes = SizesOfZones(image);
  CHECK(sizes.size() >= 4);
  for (const auto& [zone, size] : sizes) {
    INFO(zone);
    CHECK(size < 3 * kSmall.value);
    CHECK(size > kSmall.value / 8);
  }
  before = Describe(image.paths(), "");
  image.Check();
  CHECK(Describe(image.paths(), "") == before);
  // Every rename costs about a zone at most.
  for (int a = 0; a < 4; ++a) {
    const std::string name = "a" + std::to_string(a);
    CHECK(CostOfRename(image, name, name + ".new") < kSmall * 3);
    CHECK(CostOfRename(image, name + ".new/b0", name + ".b") < kSmall * 2);
  }
  image.Check();
}

TEST_CASE("what is removed is removed with the zones in it", "[fs][ablation]") {
  ImageOptions options = Zoned(kZone, KiB(16));
  options.experiments.delete_by_key = GENERATE(false, true);
  Image image(options);
  MakeZone(image, "top/a/zone");
  MakeFiles(image, "top/a", 30'000);
  REQUIRE(image.paths().Rename("top/a", "top/b").ok());
  REQUIRE(SizesOfZones(image).size() == 2);
  REQUIRE(image.paths().Link("top/b/zone/1", "outside").ok());
  REQUIRE(image.paths().Link("top/b/zone/2", "top/b/second").ok());
  const OpenFile open = *image.paths().Open("top/b/zone/3");
  SECTION("at once") { REQUIRE(image.paths().RemoveTree("top").ok()); }
  SECTION("from the inside") {
    REQUIRE(image.paths().RemoveTree("top/b/zone").ok());
    CHECK(SizesOfZones(image).size() == 1);
    REQUIRE(image.paths().RemoveTree("top/b").ok());
  }
  CHECK(InZones(image).empty());
  CHECK(image.paths().Stat("outside")->links == 1);
  CHECK(image.paths().ReadFile("outside")->size() == kZone.value / 3);
  std::string bytes(10, '\0');
  CHECK(*image.fs().Read(open.inode(), 0, bytes) == 10);
  CHECK(bytes == "ffffffffff");
}

TEST_CASE("a zone whose root is removed empty is gone", "[fs][ablation]") {
  Image image(Zoned(kZone));
  MakeZone(image, "zone");
  for (int i = 0; i < 4; ++i) REQUIRE(image.paths().Unlink("zone/" + std::to_string(i)).ok());
  image.Check();
  REQUIRE(image.paths().RemoveDirectory("zone").ok());
  CHECK(InZones(image).empty());
  REQUIRE(image.paths().MakeDirectory("zone").ok());
  CHECK(image.paths().List("zone")->empty());
  image.Check();
}

TEST_CASE("what has no zones in it is cloned, in a zone too, and of a zone", "[fs][ablation]") {
  Image image(Zoned(kZone));
  PathFileSystem& paths = image.paths();
  MakeZone(image, "zone");
  MakeFiles(image, "zone/sub", 100);
  REQUIRE(paths.Link("zone/1", "zone/sub/one").ok());
  REQUIRE(paths.Link("zone/2", "two").ok());
  REQUIRE(paths.MakeDirectory("above").ok());
  REQUIRE(paths.Rename("zone", "above/zone").ok());
  CHECK(Errno(paths.Clone("", "copy")) == ENOTSUP);
  CHECK(Errno(paths.Clone("above", "copy")) == ENOTSUP);
  REQUIRE(paths.Rename("above/zone", "zone").ok());
  REQUIRE(paths.Clone("above", "copy").ok());
  REQUIRE(paths.RemoveDirectory("copy").ok());
  REQUIRE(paths.Clone("zone/sub", "zone/copy").ok());
  REQUIRE(paths.Clone("zone", "copy").ok());
  REQUIRE(paths.Clone("zone", "zone/sub/copy").ok());
  REQUIRE(paths.Clone("copy", "copy2").ok());
  CHECK(*paths.ReadFile("zone/copy/0") == std::string(100, 'f'));
  CHECK(paths.Stat("copy/1")->links == 2);
  CHECK(paths.Stat("copy/2")->links == 1);
  REQUIRE(paths.WriteFile("copy/1", "changed").ok());
  CHECK(*paths.ReadFile("copy/sub/one") == "changed");
  CHECK(paths.ReadFile("copy2/1")->size() == kZone.value / 3);
  CHECK(paths.ReadFile("zone/1")->size() == kZone.value / 3);
  image.Check();
  // A clone becomes a zone itself, and a home stays one.
  REQUIRE(image.paths().Rename("copy", "zone/moved").ok());
  CHECK(*image.paths().ReadFile("zone/moved/sub/one") == "changed");
  image.Check();
}

TEST_CASE("paths have the same limit with zones", "[fs][ablation]") {
  Image image(Zoned(KiB(1)));
  const std::string top(199, 'd');
  std::string path;
  while (path.size() < 4000) path += top + "/";
  REQUIRE(image.paths().MakeDirectories(path).ok());
  const size_t left = kMaxPathSize - path.size();
  CHECK(image.paths().WriteFile(path + std::string(left, 'x'), std::string(2000, 'x')).ok());
  // One in the middle becomes a zone, and the innermost.
  for (const size_t size : {path.size() / 400 * 200, path.size() - 200}) {
    const std::string above = path.substr(0, size);
    REQUIRE(image.paths().WriteFile(above + top + "/file", std::string(2000, 'x')).ok());
    REQUIRE(image.paths().Rename(above + top, above + "x").ok());
    REQUIRE(image.paths().Rename(above + "x", above + top).ok());
  }
  CHECK(SizesOfZones(image).size() >= 2);
  CHECK(Errno(image.paths().WriteFile(path + std::string(left + 1, 'x'), "deep")) == ENAMETOOLONG);
  CHECK(image.paths().ReadFile(path + std::string(left, 'x'))->size() == 2000);
  CHECK(Errno(image.paths().Rename(top, top + "x")) == ENAMETOOLONG);
  image.Check();
}

// The same random operations on an image with zones, which is now and then opened with others or none, and on one
// without. What only clones refuse is left out.
class Twins {
 public:
  explicit Twins(uint64_t seed) : random_(seed), zoned_(Zoned(KiB(1), KiB(4))) {}

  void Step();
  void Compare() { REQUIRE(Describe(zoned_.paths(), "") == Describe(plain_.paths(), "")); }
  void Reopen() {
    zoned_.Check();
    const Bytes sizes[] = {Bytes{8}, KiB(1), KiB(4)};
    zoned_.Remount(random_.OneIn(3) ? Experiments() : ZonesOf(sizes[random_.Uniform(3)]));
  }
  uint64_t refused() const { return refused_; }
  size_t zones() { return SizesOfZones(zoned_).size(); }

 private:
  template <class Act>
  void Both(const std::string& what, const Act& act) {
    const int zoned = Errno(act(zoned_.paths()));
    INFO(what << ": " << zoned);
    if (zoned == ENOTSUP) {
      ++refused_;
      return;
    }
    REQUIRE(Errno(act(plain_.paths())) == zoned);
  }
  std::string Path() {
    std::string path;
    for (uint64_t depth = 1 + random_.Uniform(4); depth > 0; --depth) {
      path += (path.empty() ? "" : "/") + std::string(1, static_cast<char>('a' + random_.Uniform(3)));
    }
    return path;
  }

  Random random_;
  Image zoned_;
  Image plain_;
  uint64_t refused_ = 0;
};

void Twins::Step() {
  const std::string path = Path();
  const std::string other = Path();
  const uint64_t dice = random_.Uniform(20);
  if (dice < 5) {
    Both("mkdir " + path, [&](PathFileSystem& paths) { return paths.MakeDirectory(path); });
  } else if (dice < 9) {
    const std::string content = random_.String(random_.Skewed(12));
    Both("write " + path, [&](PathFileSystem& paths) { return paths.WriteFile(path, content); });
  } else if (dice < 12) {
    Both("link " + path + " " + other, [&](PathFileSystem& paths) { return paths.Link(path, other); });
  } else if (dice < 16) {
    const RenameMode mode = random_.OneIn(3) ? RenameMode::kExchange : RenameMode::kReplace;
    Both("rename " + path + " " + other, [&](PathFileSystem& paths) { return paths.Rename(path, other, mode); });
  } else if (dice < 18) {
    const bool all = random_.OneIn(20);
    Both("clone " + path + " " + other, [&](PathFileSystem& paths) { return paths.Clone(all ? "" : path, other); });
  } else if (dice < 19) {
    Both("unlink " + path, [&](PathFileSystem& paths) { return paths.Unlink(path); });
  } else {
    Both("remove " + path, [&](PathFileSystem& paths) { return paths.RemoveTree(path); });
  }
}

TEST_CASE("random operations: zones change nothing that is seen", "[fs][ablation]") {
  uint64_t refused = 0;
  size_t zones = 0;
  const auto rounds = static_cast<uint64_t>(10 * TestScale()) + 2;
  for (uint64_t round = 0; round < rounds; ++round) {
    Twins twins(TestSeed() + round);
    for (int step = 0; step < 600; ++step) {
      INFO("seed " << TestSeed() << " round " << round << " step " << step);
      twins.Step();
      if (step % 60 != 59) continue;
      twins.Compare();
      zones += twins.zones();
      twins.Reopen();
      twins.Compare();
    }
    refused += twins.refused();
  }
  CHECK(refused > 0);
  CHECK(zones > 0);
}

}  // namespace
}  // namespace betr::test
