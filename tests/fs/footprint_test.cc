// SPDX-License-Identifier: Apache-2.0
// Which part of the space a file, or a directory with everything below, is said to take.
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/fs/image.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::test {
namespace {

// Nodes that are much larger than what a file has in them at least.
ImageOptions LargeNodes() {
  ImageOptions options;
  options.node_size = KiB(64);
  options.basement_size = KiB(8);
  return options;
}

// What does not get smaller when it is compressed.
std::string Noise(size_t size) {
  static Random random(TestSeed());
  std::string content(size, '\0');
  for (char& c : content) c = static_cast<char>(random.Uniform(256));
  return content;
}

Footprint Of(PathFileSystem& paths, const std::vector<std::string>& names) {
  std::vector<OpenFile> files;
  std::vector<InodeId> inodes;
  for (const std::string& name : names) {
    files.push_back(Must(paths.Open(name)));
    inodes.push_back(files.back().inode());
  }
  return Must(paths.fs().FootprintOf(inodes));
}

void CheckAbout(Bytes found, Bytes expected) {
  INFO(found.value << " instead of " << expected.value);
  CHECK(found.value + KiB(24).value >= expected.value);
  CHECK(found.value <= expected.value + expected.value / 5 + KiB(24).value);
}

TEST_CASE("files take their content, directories what is below, clones what was changed", "[fs][footprint]") {
  Image image(LargeNodes());
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectories("tree/sub"));
  Must(paths.WriteFile("tree/a", Noise(100'000)));
  Must(paths.WriteFile("tree/sub/b", Noise(200'000)));
  Must(paths.WriteFile("beside", Noise(50'000)));
  CheckAbout(Of(paths, {"tree/a"}).exclusive, {100'000});
  CheckAbout(Of(paths, {"tree/sub"}).exclusive, {200'000});
  CheckAbout(Of(paths, {"tree"}).exclusive, {300'000});
  CheckAbout(Of(paths, {"tree", "beside"}).exclusive, {350'000});
  CheckAbout(Of(paths, {""}).exclusive, {350'000});
  // What is named twice is there once.
  CheckAbout(Of(paths, {"tree", "tree/a", "tree"}).stored, {300'000});

  Must(paths.Clone("tree", "copy"));
  CheckAbout(Of(paths, {"copy"}).stored, {300'000});
  CheckAbout(Of(paths, {"copy"}).exclusive, {0});
  CheckAbout(Of(paths, {"tree"}).exclusive, {0});
  CheckAbout(Of(paths, {"tree", "copy"}).exclusive, {300'000});
  Must(paths.WriteFile("copy/a", Noise(100'000)));
  CheckAbout(Of(paths, {"copy"}).exclusive, {100'000});
  Must(paths.RemoveTree("tree"));
  CheckAbout(Of(paths, {"copy"}).exclusive, {300'000});
}

TEST_CASE("a file with several names belongs to the directory that all of them are below", "[fs][footprint]") {
  Image image(LargeNodes());
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectories("top/a"));
  Must(paths.MakeDirectories("top/b"));
  Must(paths.WriteFile("top/a/file", Noise(100'000)));
  Must(paths.Link("top/a/file", "top/b/other"));
  CheckAbout(Of(paths, {"top"}).exclusive, {100'000});
  CheckAbout(Of(paths, {"top/a"}).stored, {0});
  CheckAbout(Of(paths, {"top/b"}).stored, {0});
  CheckAbout(Of(paths, {"top/a", "top/b"}).exclusive, {100'000});
  CheckAbout(Of(paths, {"top", "top/a", "top"}).exclusive, {100'000});
  CheckAbout(Of(paths, {"top/a/file"}).stored, {100'000});
  // In a clone the home of the names is the clone.
  Must(paths.Clone("top", "copy"));
  CheckAbout(Of(paths, {"copy"}).stored, {100'000});
  CheckAbout(Of(paths, {"copy/a"}).stored, {0});
  CheckAbout(Of(paths, {"copy/a", "copy/b"}).stored, {100'000});
  CheckAbout(Of(paths, {"top", "copy"}).exclusive, {100'000});
  Must(paths.RemoveTree("copy"));
  Must(paths.Unlink("top/b/other"));
  CheckAbout(Of(paths, {"top/a/file"}).exclusive, {100'000});
}

TEST_CASE("what is gone takes nothing, and is an error", "[fs][footprint]") {
  Image image(LargeNodes());
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectory("directory"));
  Must(paths.WriteFile("file", Noise(100'000)));
  const OpenFile directory = Must(paths.Open("directory"));
  const OpenFile file = Must(paths.Open("file"));
  Must(paths.RemoveDirectory("directory"));
  CHECK(ToErrno(paths.fs().FootprintOf({directory.inode()}).status()) == ENOENT);
  CHECK(ToErrno(paths.fs().FootprintOf({InodeId{1'000'000}}).status()) == ESTALE);
  CHECK(Must(paths.fs().FootprintOf({})).stored == Bytes{0});
  Must(paths.Unlink("file"));
  // Who has it open keeps its content.
  CheckAbout(Must(paths.fs().FootprintOf({file.inode()})).exclusive, {100'000});
}

}  // namespace
}  // namespace betr::test
