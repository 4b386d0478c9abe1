// SPDX-License-Identifier: Apache-2.0
// Deletes key by key (docs/ablations.md): the same results as by range, at another price.
#include "fs/erase_by_key.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <string>

#include "support/fs/image.h"

namespace betr::test {
namespace {

ImageOptions ByKey(Bytes write_behind) {
  ImageOptions options;
  options.experiments.delete_by_key = true;
  options.mount.write_behind = write_behind;
  return options;
}

// What goes to the store for `act` on an image with a file of 100 blocks.
Bytes Written(const ImageOptions& options, const std::function<void(PathFileSystem&)>& act) {
  Image image(options);
  REQUIRE(image.paths().MakeDirectory("d").ok());
  REQUIRE(image.paths().WriteFile("d/f", std::string(100 * kFileBlock.value, 'f')).ok());
  REQUIRE(image.fs().Flush().ok());
  const Bytes before = image.fs().store().Stats().bytes_batches;
  act(image.paths());
  const Bytes after = image.fs().store().Stats().bytes_batches;
  // A file that gets the name shows nothing of the old one.
  REQUIRE(image.paths().MakeDirectories("d").ok());
  REQUIRE(image.paths().Create("d/new", NewFile()).ok());
  REQUIRE(image.paths().Rename("d/new", "d/f").ok());
  AttributeChange longer;
  longer.size = 100 * kFileBlock.value;
  REQUIRE(image.paths().SetAttributes("d/f", longer).ok());
  REQUIRE(*image.paths().ReadFile("d/f") == std::string(100 * kFileBlock.value, '\0'));
  image.Check();
  return after - before;
}

TEST_CASE("an erase for each block, rather than one for all", "[fs][ablation]") {
  AttributeChange empty;
  empty.size = 0;
  const std::function<void(PathFileSystem&)> acts[] = {
      [](PathFileSystem& paths) { REQUIRE(paths.Unlink("d/f").ok()); },
      [](PathFileSystem& paths) { REQUIRE(paths.RemoveTree("d").ok()); },
      [&](PathFileSystem& paths) { REQUIRE(paths.SetAttributes("d/f", empty).ok()); },
  };
  constexpr Bytes kLeast{100 * 10};  // an erase has a key of more bytes
  for (const auto& act : acts) {
    CHECK(Written({}, act) < kLeast);
    CHECK(Written(ByKey(MiB(1)), act) > kLeast);
    CHECK(Written(ByKey(KiB(4)), act) > kLeast);
  }
}

TEST_CASE("what is gathered is erased too, and what is open lives on", "[fs][ablation]") {
  Image image(ByKey(KiB(64)));
  PathFileSystem& paths = image.paths();
  const OpenFile file = *paths.Create("f", NewFile());
  REQUIRE(image.fs().Write(file.inode(), 0, std::string(50'000, 'g')).ok());
  AttributeChange shorter;
  shorter.size = 10'000;
  REQUIRE(paths.SetAttributes("f", shorter).ok());
  CHECK(*paths.ReadFile("f") == std::string(10'000, 'g'));
  REQUIRE(paths.Unlink("f").ok());
  std::string bytes(10'000, '\0');
  CHECK(*image.fs().Read(file.inode(), 0, bytes) == 10'000);
  CHECK(bytes == std::string(10'000, 'g'));
}

}  // namespace
}  // namespace betr::test
