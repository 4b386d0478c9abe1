// SPDX-License-Identifier: Apache-2.0
// An image of a file system as a version of the library has left it, after a crash: it is mounted, shows all that it
// held, and can be worked on. What it must show is made again, by the same calls in a fresh one.
#include "support/device/kept_image.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "base/checksum.h"
#include "base/random.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr const char* kOlderFile = "fs/data/format-1.0.img.zst";
constexpr const char* kFile = "fs/data/format-1.0-counted.img.zst";

ImageOptions Options() {
  ImageOptions options;
  options.size = MiB(8);
  options.node_size = KiB(16);
  options.basement_size = KiB(2);
  options.log_size = KiB(512);
  options.compression = "zstd:3";
  return options;
}

// Letters, so that there is something to compress.
std::string Text(Random& random, size_t size) {
  std::string text(size, '\0');
  for (char& letter : text) letter = static_cast<char>('a' + random.Skewed(4));
  return text;
}

void MakeTree(Image& image, const std::string& top, Random& random) {
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectories(top + "/some/directories"));
  for (int i = 0; i < 30; ++i) {
    image.Tick();
    Must(paths.WriteFile(fmt::format("{}/some/file {}", top, i), Text(random, random.Skewed(14)), 0640));
  }
  Must(paths.MakeSymlink("../file 1", top + "/some/directories/symlink"));
  Must(paths.Link(top + "/some/file 2", top + "/hard link"));
  const OpenFile named = Must(paths.Open(top + "/some/file 3"));
  Must(image.fs().SetXattr(named.inode(), "user.short", "value"));
  Must(image.fs().SetXattr(named.inode(), "user.long", Text(random, 9000)));
}

// Everything that the format has: files with holes and without names, links, attributes, clones of files and trees with
// changes on both sides, what was renamed and removed; in the checkpoint, and in the log.
void Fill(Image& image) {
  Random random(1);
  FileSystem& fs = image.fs();
  PathFileSystem& paths = image.paths();
  MakeTree(image, "tree", random);
  const OpenFile sparse = Must(paths.Create("sparse", {}));
  Must(fs.Write(sparse.inode(), 1 << 20, "data after a hole"));
  Must(fs.Allocate(sparse.inode(), AllocateMode::kExtend, 0, 2 << 20));
  NewFile fifo;
  fifo.type = FileType::kFifo;
  Must(paths.Create("fifo", fifo));
  Must(paths.Clone("tree", "clone"));
  Must(paths.Rename("tree/some/file 4", "clone/renamed"));
  Must(fs.store().Checkpoint());
  image.Tick();
  Must(paths.Clone("clone", "clone of the clone"));
  Must(paths.Clone("tree/some/file 5", "clone of a file"));
  Must(paths.WriteFile("clone/some/file 5", "changed in the clone"));
  Must(paths.RemoveTree("tree/some/directories"));
  Must(fs.store().Checkpoint());
  image.Tick();
  MakeTree(image, "tree in the log", random);
  Must(paths.Rename("clone of the clone", "tree in the log/moved"));
  Must(paths.Rename("clone", "tree", RenameMode::kExchange));
  AttributeChange change;
  change.permissions = 0700;
  change.uid = 1000;
  change.modified = FileTime{-1, 5};
  Must(paths.SetAttributes("tree", change));
  const OpenFile shorter = Must(paths.Open("tree in the log/some/file 6"));
  AttributeChange size;
  size.size = 5;
  Must(fs.SetAttributes(shorter.inode(), size));
  const OpenFile unlinked = Must(paths.Open("tree in the log/some/file 7"));
  Must(paths.Unlink("tree in the log/some/file 7"));
  Must(fs.Sync());
  if (KeepsImages()) KeepImage(kFile, image.device());
}

std::string ShowXattrs(PathFileSystem& paths, FileSystem& fs, const std::string& path) {
  const OpenFile file = Must(paths.Open(path));
  std::string lines;
  for (const std::string& name : Must(fs.ListXattrs(file.inode()))) {
    lines += fmt::format("{} {} {:x}\n", path, name, Checksum(Must(fs.GetXattr(file.inode(), name))));
  }
  return lines;
}

std::string Show(Image& image) {
  std::string lines = Describe(image.paths(), "");
  for (const char* top : {"tree", "tree in the log", "tree in the log/moved"}) {
    lines += ShowXattrs(image.paths(), image.fs(), std::string(top) + "/some/file 3");
  }
  const FileTime changed = Must(image.paths().Stat("tree")).changed;
  const FileTime born = Must(image.paths().Stat("tree/some/file 5")).born;
  const OpenFile sparse = Must(image.paths().Open("sparse"));
  return lines + fmt::format("{}.{} {}.{} {}\n", changed.seconds, changed.nanoseconds, born.seconds, born.nanoseconds,
                             Must(image.fs().SeekData(sparse.inode(), 0)));
}

}  // namespace

TEST_CASE("an image that was kept is mounted and worked on", "[fs]") {
  Image fresh(Options());
  Fill(fresh);
  const std::string expected = Show(fresh);
  const std::string file = GENERATE(kOlderFile, kFile);
  INFO(file);
  Image kept(Options(), ReadKeptImage(file, Options().size));
  CHECK(Show(kept) == expected);
  kept.Check();
  CHECK(Show(kept) == expected);
  Must(kept.paths().Clone("tree in the log/moved", "one more"));
  CHECK(Describe(kept.paths(), "one more/some") == Describe(kept.paths(), "tree in the log/moved/some"));
  for (const char* top : {"tree", "clone", "tree in the log"}) Must(kept.paths().RemoveTree(top));
  kept.Check();
  CHECK(Must(kept.paths().List("one more/some")).size() == 31);
}

}  // namespace betr::test
