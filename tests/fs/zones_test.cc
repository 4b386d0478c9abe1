// SPDX-License-Identifier: Apache-2.0
// Renames as with zones (docs/ablations.md): what is smaller than a zone is copied, what is larger costs as much as
// ever.
#include <catch2/catch.hpp>
#include <string>

#include "support/fs/image.h"

namespace betr::test {
namespace {

constexpr Bytes kZone = KiB(64);

class Zoned {
 public:
  explicit Zoned(Bytes write_behind) : image_(OptionsWith(write_behind)) {}

  Image& image() { return image_; }
  PathFileSystem& paths() { return image_.paths(); }

  // What the rename writes into the store. All of it is there afterwards.
  Bytes CostOfRename(const std::string& from, const std::string& to) {
    const std::string before = Describe(paths(), from);
    const Bytes written = image_.fs().store().Stats().bytes_batches;
    REQUIRE(paths().Rename(from, to).ok());
    const Bytes cost = image_.fs().store().Stats().bytes_batches - written;
    CHECK(Describe(paths(), to) == before);
    CHECK(Errno(paths().Stat(from)) == ENOENT);
    return cost;
  }

 private:
  static ImageOptions OptionsWith(Bytes write_behind) {
    ImageOptions options;
    options.experiments.zone_size = kZone;
    options.mount.write_behind = write_behind;
    return options;
  }

  Image image_;
};

TEST_CASE("with zones what is small is copied, and what is large is not", "[fs][ablation]") {
  Zoned zoned(GENERATE(KiB(16), MiB(1)));  // copies of several batches, and of one
  SECTION("files, also while they are gathered") {
    REQUIRE(zoned.paths().WriteFile("small", std::string(50'000, 's')).ok());
    REQUIRE(zoned.paths().WriteFile("large", std::string(100'000, 'l')).ok());
    CHECK(zoned.CostOfRename("small", "small.new") > Bytes{50'000});
    CHECK(zoned.CostOfRename("large", "large.new") < KiB(4));
  }
  SECTION("a directory counts with all that is below it") {
    for (const char* top : {"small", "large"}) {
      REQUIRE(zoned.paths().MakeDirectories(top + std::string("/sub/deep")).ok());
    }
    for (int i = 0; i < 4; ++i) {
      REQUIRE(zoned.paths().WriteFile("small/sub/" + std::to_string(i), std::string(10'000, 's')).ok());
      REQUIRE(zoned.paths().WriteFile("large/sub/deep/" + std::to_string(i), std::string(30'000, 'l')).ok());
    }
    CHECK(zoned.CostOfRename("small", "small.new") > Bytes{40'000});
    CHECK(zoned.CostOfRename("large", "large.new") < KiB(4));
    CHECK(zoned.CostOfRename("large.new/sub/deep/1", "large.new/1") > Bytes{30'000});
  }
  zoned.image().Check();
}

TEST_CASE("with zones, something large replaces something small, and the other way round", "[fs][ablation]") {
  Zoned zoned(KiB(16));
  REQUIRE(zoned.paths().WriteFile("small", std::string(20'000, 's')).ok());
  REQUIRE(zoned.paths().WriteFile("large", std::string(200'000, 'l')).ok());
  REQUIRE(zoned.paths().WriteFile("other", std::string(200'000, 'o')).ok());
  CHECK(zoned.CostOfRename("small", "other") > Bytes{20'000});
  CHECK(zoned.CostOfRename("large", "other") < KiB(4));
  CHECK(zoned.paths().List("")->size() == 1);
  zoned.image().Check();
}

}  // namespace
}  // namespace betr::test
