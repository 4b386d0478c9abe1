// SPDX-License-Identifier: Apache-2.0
// Renames by copying (docs/ablations.md): the same results as range renames, at another price; and what a lack of space
// in the middle leaves.
#include "fs/copying_mover.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "support/fs/image.h"

namespace betr::test {
namespace {

ImageOptions ByCopy(Bytes write_behind = KiB(16)) {
  ImageOptions options;
  options.experiments.rename_by_copy = true;
  options.mount.write_behind = write_behind;
  return options;
}

// Files of several sizes, in directories, one with two names inside and one with a name outside.
void MakeTree(PathFileSystem& paths, const std::string& top) {
  REQUIRE(paths.MakeDirectories(top + "/sub/deep").ok());
  for (int i = 0; i < 8; ++i) {
    REQUIRE(paths.WriteFile(top + "/sub/file" + std::to_string(i), std::string(size_t{1} << (2 * i), 'f')).ok());
  }
  REQUIRE(paths.WriteFile(top + "/sub/deep/small", "small").ok());
  REQUIRE(paths.MakeSymlink("sub/deep", top + "/link").ok());
  REQUIRE(paths.Link(top + "/sub/file5", top + "/second").ok());
  REQUIRE(paths.Link(top + "/sub/file4", top + ".outside").ok());
}

TEST_CASE("renames by copying write all, and others next to nothing", "[fs][ablation]") {
  const auto written = [](ImageOptions options) {
    Image image(options);
    REQUIRE(image.paths().WriteFile("a", std::string(500'000, 'a')).ok());
    REQUIRE(image.fs().Flush().ok());
    const Bytes before = image.fs().store().Stats().bytes_batches;
    REQUIRE(image.paths().Rename("a", "b").ok());
    const Bytes after = image.fs().store().Stats().bytes_batches;
    REQUIRE(*image.paths().ReadFile("b") == std::string(500'000, 'a'));
    image.Check();
    return after - before;
  };
  CHECK(written({}) < KiB(2));
  const Bytes in_several_batches = written(ByCopy());
  CHECK(in_several_batches > Bytes{500'000});
  CHECK(in_several_batches < Bytes{550'000});
  const Bytes in_one = written(ByCopy(MiB(1)));
  CHECK(in_one > Bytes{500'000});
}

TEST_CASE("a tree is renamed by copying, links and all", "[fs][ablation]") {
  Image image(ByCopy());
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  REQUIRE(paths.MakeDirectory("other").ok());
  const std::string before = Describe(paths, "t");
  const uint64_t number = paths.Stat("t/sub/deep/small")->inode_number;
  REQUIRE(paths.Rename("t", "other/moved").ok());
  CHECK(Errno(paths.Stat("t")) == ENOENT);
  CHECK(Describe(paths, "other/moved") == before);
  CHECK(paths.Stat("other/moved/sub/deep/small")->inode_number == number);
  REQUIRE(paths.WriteFile("t.outside", "through the other name").ok());
  CHECK(*paths.ReadFile("other/moved/sub/file4") == "through the other name");
  // Nothing of the old tree comes back with its name.
  REQUIRE(paths.MakeDirectory("t").ok());
  CHECK(paths.List("t")->empty());
  image.Check();
}

TEST_CASE("a rename by copying over something", "[fs][ablation]") {
  Image image(ByCopy());
  PathFileSystem& paths = image.paths();
  for (const size_t size : {size_t{10}, size_t{100'000}}) {
    for (const size_t old_size : {size_t{20}, size_t{200'000}}) {
      INFO(size << " over " << old_size);
      REQUIRE(paths.WriteFile("new", std::string(size, 'n')).ok());
      REQUIRE(paths.WriteFile("old", std::string(old_size, 'o')).ok());
      const OpenFile open = *paths.Open("old");
      REQUIRE(paths.Rename("new", "old").ok());
      CHECK(*paths.ReadFile("old") == std::string(size, 'n'));
      CHECK(Errno(paths.Stat("new")) == ENOENT);
      std::string bytes(5, '\0');
      CHECK(*image.fs().Read(open.inode(), 0, bytes) == 5);
      CHECK(bytes == "ooooo");
    }
  }
  MakeTree(paths, "t");
  REQUIRE(paths.MakeDirectory("empty").ok());
  const std::string before = Describe(paths, "t");
  REQUIRE(paths.Rename("t", "empty").ok());
  CHECK(Describe(paths, "empty") == before);
  CHECK(paths.Stat("")->links == 3);
  image.Check();
}

TEST_CASE("a copy for which there is no space leaves things as they were", "[fs][ablation]") {
  ImageOptions options = ByCopy();
  options.size = MiB(8);
  options.compression = "none";
  Image image(options);
  PathFileSystem& paths = image.paths();
  const std::string content(600'000, 'h');
  REQUIRE(paths.WriteFile("large", content).ok());
  REQUIRE(paths.MakeDirectory("fill").ok());
  for (int i = 0; paths.WriteFile("fill/" + std::to_string(i), std::string(50'000, 'f')).ok(); ++i) REQUIRE(i < 1000);
  CHECK(Errno(paths.Rename("large", "other")) == ENOSPC);
  CHECK(Errno(paths.Stat("other")) == ENOENT);
  CHECK(*paths.ReadFile("large") == content);
  REQUIRE(paths.RemoveTree("fill").ok());
  REQUIRE(paths.WriteFile("other", "").ok());
  AttributeChange longer;
  longer.size = 10'000;
  REQUIRE(paths.SetAttributes("other", longer).ok());
  CHECK(*paths.ReadFile("other") == std::string(10'000, '\0'));
  image.Check();
  CHECK(*image.paths().ReadFile("large") == content);
}

}  // namespace
}  // namespace betr::test
