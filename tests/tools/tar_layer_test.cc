// SPDX-License-Identifier: Apache-2.0
// Archives as layers of container images: lib/fs/tar/tar_layer.h. tar_layer_test.sh has somebody else unpack them.
#include "fs/tar/tar_layer.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "base/random.h"
#include "fs/tar/tar_copy.h"
#include "support/fs/image.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/tools/tar_archive.h"

namespace betr::test {
namespace {

using Paths = std::vector<std::string>;

std::string Layer(Image& image, const std::string& base, const std::string& inside,
                  const fs::CopyOptions& options = {}) {
  const ArchiveFile file;
  Must(fs::ExportLayer(&image.fs(), base, inside, file.descriptor(), options));
  return file.Content();
}

absl::StatusOr<fs::CopyTotals> TryUnpack(Image& image, const std::string& layer, const std::string& inside) {
  const ArchiveFile file(layer);
  fs::CopyOptions options;
  options.is_layer = true;
  return fs::ImportTar(&image.fs(), file.descriptor(), inside, options);
}

fs::CopyTotals Unpack(Image& image, const std::string& layer, const std::string& inside) {
  return Must(TryUnpack(image, layer, inside));
}

Paths Differences(Image& image, const std::string& before, const std::string& after) {
  Paths paths;
  Must(image.paths().FindDifferences(before, after, [&](const EntryDifference& difference) {
    paths.push_back("/" + difference.path);
    return absl::OkStatus();
  }));
  return paths;
}

void MakeSocket(PathFileSystem& paths, const std::string& path) {
  NewFile socket;
  socket.type = FileType::kSocket;
  Must(paths.Create(path, socket));
}

// Changes of a tree, of few names so that they meet.
class Changes {
 public:
  Changes(Image* image, std::string top, uint64_t seed) : image_(*image), top_(std::move(top)), random_(seed) {}

  void Do() {
    if (random_.OneIn(4)) image_.Tick();
    // What cannot be done, as the name is none of that kind, is no change.
    switch (random_.Uniform(13)) {
      case 0:
      case 1:
        return paths().MakeDirectories(Path()).IgnoreError();
      case 2:
      case 3:
        return paths().WriteFile(Path(), random_.String(random_.Uniform(9000))).IgnoreError();
      case 4:
        return paths().Unlink(Path()).IgnoreError();
      case 5:
        return paths().RemoveTree(Path()).IgnoreError();
      case 6:
        return paths().Rename(Path(), Path()).IgnoreError();
      case 7:
        return paths().MakeSymlink(random_.String(9), Path()).IgnoreError();
      case 8:
        return paths().Link(Path(), Path()).IgnoreError();
      case 9:
        return paths().Clone(Path(), Path()).IgnoreError();
      case 10:
        return SetXattr();
      case 11:
        return WritePart();
      default:
        return SetAttributes();
    }
  }

 private:
  PathFileSystem& paths() { return image_.paths(); }

  std::string Path() {
    std::string path = top_;
    for (uint64_t level = 0; level <= random_.Uniform(3); ++level) {
      path += "/";
      path += "abc"[random_.Uniform(3)];
    }
    return path;
  }

  void SetXattr() {
    const absl::StatusOr<OpenFile> file = paths().Open(Path());
    if (file.ok()) image_.fs().SetXattr(file->inode(), "user.x", random_.String(5)).IgnoreError();
  }

  void WritePart() {
    const absl::StatusOr<OpenFile> file = paths().Open(Path());
    if (file.ok()) image_.fs().Write(file->inode(), random_.Uniform(20'000), "part").IgnoreError();
  }

  void SetAttributes() {
    const std::string path = Path();
    const absl::StatusOr<FileAttributes> there = paths().Stat(path);
    AttributeChange change;
    const bool has_mode = there.ok() && there->type != FileType::kSymlink;  // of those archives keep none
    if (has_mode && random_.OneIn(2)) change.permissions = static_cast<uint32_t>(random_.Uniform(07777));
    if (random_.OneIn(2)) change.uid = static_cast<uint32_t>(random_.Uniform(3));
    if (random_.OneIn(2)) change.modified = FileTime{static_cast<int64_t>(random_.Uniform(100)), 5};
    paths().SetAttributes(path, change).IgnoreError();
  }

  Image& image_;
  const std::string top_;
  Random random_;
};

TEST_CASE("a layer makes of a copy of its base what it was made of", "[tools][layer]") {
  Random seeds(TestSeed());
  const auto rounds = static_cast<int>(150 * TestScale());
  for (int round = 0; round < rounds; ++round) {
    Image image;
    Changes base(&image, "base", seeds.Next());
    Changes changed(&image, "changed", seeds.Next());
    Must(image.paths().MakeDirectory("base"));
    for (uint64_t steps = seeds.Uniform(60); steps > 0; --steps) base.Do();
    Must(image.paths().Clone("base", "changed"));
    Must(image.paths().Clone("base", "copy"));
    for (uint64_t steps = seeds.Uniform(40); steps > 0; --steps) changed.Do();
    const Paths changes = Differences(image, "base", "changed");
    const std::string layer = Layer(image, "base", "changed");
    image.Tick();
    REQUIRE((Layer(image, "base", "changed") == layer));  // so that its digest names it
    Unpack(image, layer, "copy");
    INFO("round " << round);
    REQUIRE(Differences(image, "changed", "copy") == Paths());
    // What it has already changes nothing.
    Unpack(image, layer, "copy");
    REQUIRE(Differences(image, "changed", "copy") == Paths());
    REQUIRE(Differences(image, "base", "changed") == changes);
    image.Check();
  }
}

TEST_CASE("directories of a layer come right before what is in them", "[tools][layer]") {
  fs::LayerDirectories directories;
  CHECK(directories.Before("") == Paths{""});
  CHECK(directories.Before("").empty());
  for (const char* path : {"a", "a-b", "b", "d"}) directories.Differs(path);
  CHECK(directories.Before("").empty());
  directories.Differs("a/c");
  CHECK(directories.Before("a") == Paths{"a"});
  CHECK(directories.Before("a/b/x") == Paths{"a/b/x"});
  CHECK(directories.Before("b/y") == Paths{"a/c", "a-b", "b", "b/y"});
  CHECK(directories.Before("b/y").empty());
  CHECK(directories.Rest() == Paths{"d"});
  CHECK(directories.Rest().empty());
}

TEST_CASE("what a layer says is gone, goes, and what it brings stays", "[tools][layer]") {
  Image image;
  PathFileSystem& paths = image.paths();
  for (const char* path : {"t/d/sub", "t/e/sub", "t/f", "t/to-file/sub"}) Must(paths.MakeDirectories(path));
  for (const char* path : {"t/a", "t/d/sub/old", "t/d/old", "t/e/sub/old", "t/f/old", "t/to-directory"}) {
    Must(paths.WriteFile(path, "old"));
  }
  const std::string layer = Finished(
      Member("./.wh.a", '0') + Member(".wh.none", '0') + Member("none/.wh.x", '0') + Member(".wh..wh.plnk", '5') +
      // Before and behind what is brought, of a directory, and of a name.
      Member("d/sub/new", '0', "new") + Member("d/.wh..wh..opq", '0') + Member("d/new", '0', "new") +
      Member("e/sub/new", '0', "new") + Member(".wh.e", '0') + Member("f/.wh..wh..opq", '0') +
      Member("to-file", '0', "new") + Member("to-directory/", '5'));
  CHECK(Unpack(image, layer, "t").removed == 7);
  CHECK(*paths.List("t") == Paths{"d", "e", "f", "to-directory", "to-file"});
  CHECK(*paths.List("t/d") == Paths{"new", "sub"});
  CHECK(*paths.List("t/d/sub") == Paths{"new"});
  CHECK(*paths.List("t/e/sub") == Paths{"new"});
  CHECK(paths.List("t/f")->empty());
  CHECK(*paths.ReadFile("t/to-file") == "new");
  CHECK(paths.List("t/to-directory")->empty());
  image.Check();
}

TEST_CASE("a layer says of no directory that another one is gone", "[tools][layer]") {
  Image image;
  PathFileSystem& paths = image.paths();
  for (const char* path : {"t/.wh.d/sub", "t/d"}) Must(paths.MakeDirectories(path));
  Must(paths.WriteFile("t/.wh.d/sub/a", "old"));
  Must(paths.Clone("t", "u"));
  Must(paths.Clone("t", "copy"));
  image.Tick();
  Must(paths.WriteFile("u/.wh.d/sub/a", "new"));
  Must(paths.WriteFile("u/.wh.d/b", "new"));
  Must(paths.MakeDirectory("u/d/below"));
  int told = 0;
  fs::CopyOptions options;
  options.left_out = [&](std::string_view what) { told += what.starts_with("./.wh.d") ? 1 : 0; };
  const std::string layer = Layer(image, "t", "u", options);
  CHECK(told == 3);
  CHECK(layer.find(".wh.") == std::string::npos);
  Unpack(image, layer, "copy");
  CHECK(*paths.List("copy/d") == Paths{"below"});
}

TEST_CASE("a socket, which no layer can hold, takes what was there away nevertheless", "[tools][layer]") {
  Image image;
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectories("t/directory/below"));
  Must(paths.WriteFile("t/file", "old"));
  MakeSocket(paths, "t/socket");
  for (const char* path : {"u", "copy"}) Must(paths.Clone("t", path));
  for (const char* path : {"u/directory", "u/file"}) {
    Must(paths.RemoveTree(path));
    MakeSocket(paths, path);
  }
  Must(paths.SetAttributes("u/socket", {.permissions = 0600}));
  Paths told;
  fs::CopyOptions options;
  options.left_out = [&](std::string_view what) { told.emplace_back(what.substr(0, what.find(':'))); };
  Unpack(image, Layer(image, "t", "u", options), "copy");
  CHECK(told == Paths{"./directory", "./file", "./socket"});
  CHECK(*paths.List("copy") == Paths{"socket"});
}

TEST_CASE("what a layer says is gone changes no times that it gives", "[tools][layer]") {
  Image image;
  PathFileSystem& paths = image.paths();
  for (const char* path : {"t/d/sub", "t/e"}) Must(paths.MakeDirectories(path));
  for (const char* path : {"t/d/sub/old", "t/e/old"}) Must(paths.WriteFile(path, "old"));
  Unpack(image,
         Finished(Member("d/", '5') + Member("d/sub/", '5') + Member("d/.wh..wh..opq", '0') + Member("e/", '5') +
                  Member(".wh.e", '0')),
         "t");
  CHECK(paths.List("t/d/sub")->empty());
  CHECK(paths.List("t/e")->empty());
  for (const char* path : {"t/d", "t/d/sub", "t/e"}) {
    INFO(path);
    CHECK(paths.Stat(path)->modified == FileTime{0144, 0});
  }
}

TEST_CASE("what a layer brings stays, by whatever links it is said to be gone", "[tools][layer]") {
  Image image;
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectories("t/d"));
  Must(paths.WriteFile("t/d/old", "old"));
  Must(paths.MakeSymlink("d", "t/link"));
  Unpack(image, Finished(Member("d/new", '0', "new") + Member("link/.wh..wh..opq", '0') + Member("link/.wh.new", '0')),
         "t");
  CHECK(*paths.List("t/d") == Paths{"new"});
  Unpack(image, Finished(Member("link/newer", '0') + Member("d/.wh..wh..opq", '0')), "t");
  CHECK(*paths.List("t/d") == Paths{"newer"});
}

TEST_CASE("what is left out of a layer is not removed for it", "[tools][layer]") {
  Image image;
  PathFileSystem& paths = image.paths();
  for (const char* path : {"t/keep/below", "t/d/keep", "t/e", "t/gone/keep"}) Must(paths.MakeDirectories(path));
  for (const char* path : {"t/d/old", "t/e/keep"}) Must(paths.WriteFile(path, "old"));
  fs::CopyOptions options;
  options.is_layer = true;
  Must(options.exclusions.Add("keep/"));
  const ArchiveFile file(Finished(Member(".wh.keep", '0') + Member("d/.wh..wh..opq", '0') + Member("e/.wh.keep", '0') +
                                  Member(".wh.gone", '0')));
  const fs::CopyTotals totals = Must(fs::ImportTar(&image.fs(), file.descriptor(), "t", options));
  CHECK(totals.removed == 3);
  CHECK(totals.excluded == 2);
  CHECK(*paths.List("t") == Paths{"d", "e", "keep"});
  CHECK(*paths.List("t/keep") == Paths{"below"});
  CHECK(*paths.List("t/d") == Paths{"keep"});
  CHECK(paths.List("t/e")->empty());
}

TEST_CASE("without being told that it is a layer, names are names", "[tools][layer]") {
  Image image;
  Must(image.paths().MakeDirectories("t/a"));
  const ArchiveFile file(Finished(Member(".wh.a", '0')));
  Must(fs::ImportTar(&image.fs(), file.descriptor(), "t", {}));
  CHECK(*image.paths().List("t") == Paths{".wh.a", "a"});
  // Which no layer can hold.
  Must(image.paths().MakeDirectories("u"));
  std::string told;
  fs::CopyOptions options;
  options.left_out = [&](std::string_view what) { told += what; };
  Unpack(image, Layer(image, "u", "t", options), "u");
  CHECK(told == "./.wh.a: has a name that says in a layer that something is gone");
  CHECK(*image.paths().List("u") == Paths{"a"});
}

TEST_CASE("an entry of a layer without a place does not keep others from theirs", "[tools][layer]") {
  Image image;
  Must(image.paths().MakeDirectories("t"));
  Must(image.paths().WriteFile("t/file", "old"));
  const std::string long_name(99, 'n');
  const std::string layer = Finished(Member("././@LongLink", 'L', std::string(300, 'n')) + Member(long_name, '0') +
                                     Member("file/.wh.a", '0') + Member("file/below", '0') + Member("z", '0', "new"));
  const ArchiveFile file(layer);
  Paths told;
  fs::CopyOptions options;
  options.is_layer = true;
  options.gone_without = [&](const absl::Status& status) { told.emplace_back(status.message()); };
  CHECK(Must(fs::ImportTar(&image.fs(), file.descriptor(), "t", options)).gone_without == 3);
  REQUIRE(told.size() == 3);
  CHECK(told[0].ends_with("n: File name too long"));
  CHECK(told[1].starts_with("file/.wh.a: "));
  CHECK(told[2].starts_with("file/below: "));
  CHECK(*image.paths().ReadFile("t/z") == "new");
  CHECK(*image.paths().ReadFile("t/file") == "old");
}

TEST_CASE("layers that say nothing of anything are refused", "[tools][layer]") {
  Image image;
  Must(image.paths().MakeDirectories("t/a"));
  for (const char* name : {".wh.", ".wh..", ".wh...", "a/.wh.."}) {
    const absl::StatusOr<fs::CopyTotals> unpacked = TryUnpack(image, Finished(Member(name, '0')), "t");
    CHECK(absl::IsInvalidArgument(unpacked.status()));
    CHECK(unpacked.status().message() == std::string(name) + ": says that something without a name is gone");
  }
  Must(image.paths().WriteFile("file", ""));
  const ArchiveFile file;
  CHECK(Errno(fs::ExportLayer(&image.fs(), "file", "t", file.descriptor(), {})) == ENOTDIR);
  CHECK(Errno(fs::ExportLayer(&image.fs(), "t", "file", file.descriptor(), {})) == ENOTDIR);
  CHECK(Errno(fs::ExportLayer(&image.fs(), "none", "t", file.descriptor(), {})) == ENOENT);
  CHECK(*image.paths().List("t") == Paths{"a"});
}

}  // namespace
}  // namespace betr::test
