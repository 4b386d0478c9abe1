// SPDX-License-Identifier: Apache-2.0
// What an operation puts into a batch depends on what it is given: paths, names, open files. It stays within what the
// store takes at once (Store::MaxBatch), or is refused before it begins.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "fs/check.h"
#include "fs/key.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

ImageOptions LargeImage(Bytes write_behind) {
  ImageOptions options;
  options.size = GiB(64);
  options.node_size = MiB(4);
  options.basement_size = KiB(64);
  options.fanout = 16;
  options.log_size = GiB(1);
  options.mount.write_behind = write_behind;
  return options;
}

// Nothing is smaller than this: a batch takes 16 KiB.
ImageOptions SmallLog() {
  ImageOptions options;
  options.log_size = KiB(64);
  return options;
}

// Makes a directory whose path is a little shorter than 3.8 KB.
std::string MakeDeep(PathFileSystem& paths, std::string path) {
  for (int level = 0; level < 15; ++level) {
    path += '/' + std::string(250, static_cast<char>('a' + level));
    Must(paths.MakeDirectory(path));
  }
  return path;
}

}  // namespace

TEST_CASE("writes are gathered up to what a batch takes", "[fs]") {
  const bool deep = GENERATE(false, true);
  Image image(LargeImage(deep ? MiB(40) : MiB(128)));
  const std::string directory = deep ? MakeDeep(image.paths(), "") : "";
  const std::string path = directory + "/file";
  Must(image.paths().WriteFile(path, ""));
  std::string content;
  {
    const OpenFile file = image.paths().Open(path).value();
    while (content.size() < MiB(80).value) {
      const std::string part(MiB(1).value, static_cast<char>('a' + content.size() / MiB(4).value));
      REQUIRE(image.fs().Write(file.inode(), content.size(), part).value() == part.size());
      content += part;
    }
  }
  REQUIRE(image.fs().Sync().ok());
  REQUIRE(image.paths().WriteFile(directory + "/other", "x").ok());
  image.Unmount();
  CHECK(image.paths().ReadFile(path).value() == content);
}

TEST_CASE("what is gathered is written before an operation that leaves it no room in a batch", "[fs]") {
  Image image(SmallLog());
  Must(image.paths().WriteFile("file", "x"));
  {
    const OpenFile file = image.paths().Open("file").value();
    Must(image.fs().Write(file.inode(), 0, std::string(3000, 'f')).status());
    REQUIRE(image.fs().SetXattr(file.inode(), "user.large", std::string(14000, 'v')).ok());
  }
  image.Unmount();
  CHECK(image.paths().ReadFile("file").value() == std::string(3000, 'f'));
  image.Check();
}

TEST_CASE("a file whose names are just no batch any more stays in its clone, in a large log too", "[fs][large]") {
  Image image(LargeImage(MiB(1)));
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectory("top"));
  const std::string deep = MakeDeep(paths, "top").substr(4);
  const std::string name = '/' + std::string(180, 'n');
  Must(paths.WriteFile("top/" + deep + name + "0", "x"));
  for (int i = 1; i < 6000; ++i) {
    Must(paths.Link("top/" + deep + name + "0", "top/" + deep + name + std::to_string(i)));
  }
  Must(paths.Clone("top", "clone"));
  CHECK(Errno(paths.Rename("clone/" + deep + name + "0", "out")) == EXDEV);
  CHECK(Errno(paths.Link("clone/" + deep + name + "1", "out")) == EXDEV);
  Must(paths.Rename("clone/" + deep + name + "0", "clone/in"));
}

}  // namespace betr::test
