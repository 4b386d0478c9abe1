// SPDX-License-Identifier: Apache-2.0
// Reading, writing, truncating, holes, against a string; sparse files up to the largest size; errors.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>

#include "base/random.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {
namespace {

class FileRun {
 public:
  FileRun(Image* image, uint64_t seed) : image_(*image), random_(seed) { Open(); }

  void Step() {
    switch (random_.Uniform(10)) {
      case 0:
        return Truncate();
      case 1:
        return Allocate();
      case 2:
        return Append();
      case 3:
        return Reopen();
      case 4:
      case 5:
        return Read();
      default:
        return Write();
    }
  }

  void CheckAll() {
    std::string found(model_.size() + 1, 'x');
    const auto read = image_.fs().Read(file_.inode(), 0, found);
    REQUIRE(*read == model_.size());
    found.resize(*read);
    REQUIRE(found == model_);
    REQUIRE(image_.fs().GetAttributes(file_.inode())->size == model_.size());
    CheckHoles();
  }

 private:
  static constexpr uint64_t kMaxSize = 70000;

  void Open() {
    const auto file = image_.paths().Exists("f").value() ? image_.paths().Open("f") : image_.paths().Create("f", {});
    REQUIRE(file.ok());
    file_ = *image_.paths().Open("f");
  }

  // Offsets near block borders are worth more than others.
  uint64_t Offset(uint64_t limit) {
    uint64_t offset = random_.Uniform(limit + 1);
    if (random_.OneIn(3)) offset = offset / 4096 * 4096;
    if (random_.OneIn(6) && offset > 0) --offset;
    return offset;
  }

  void Write() {
    const uint64_t offset = Offset(kMaxSize);
    const std::string bytes = random_.String(1 + (random_.OneIn(2) ? random_.Uniform(100) : random_.Uniform(20000)));
    REQUIRE(*image_.fs().Write(file_.inode(), offset, bytes) == bytes.size());
    if (model_.size() < offset + bytes.size()) model_.resize(offset + bytes.size());
    model_.replace(offset, bytes.size(), bytes);
  }

  void Append() {
    const std::string bytes = random_.String(random_.Uniform(300));
    if (bytes.empty() || model_.size() > kMaxSize) return;
    REQUIRE(*image_.fs().Append(file_.inode(), bytes) == model_.size());
    model_ += bytes;
  }

  void Truncate() {
    const uint64_t size = Offset(random_.OneIn(2) ? kMaxSize : model_.size());
    AttributeChange change;
    change.size = size;
    REQUIRE(image_.fs().SetAttributes(file_.inode(), change)->size == size);
    model_.resize(size);
  }

  void Allocate() {
    const auto mode = static_cast<AllocateMode>(random_.Uniform(5));
    const uint64_t offset = Offset(kMaxSize);
    const uint64_t length = 1 + Offset(30000);
    REQUIRE(image_.fs().Allocate(file_.inode(), mode, offset, length).ok());
    const bool zeroes = mode != AllocateMode::kExtend && mode != AllocateMode::kKeepSize;
    for (uint64_t at = offset; zeroes && at < std::min<uint64_t>(offset + length, model_.size()); ++at) model_[at] = 0;
    const bool extends = mode == AllocateMode::kExtend || mode == AllocateMode::kZero;
    if (extends && model_.size() < offset + length) model_.resize(offset + length);
  }

  void Read() {
    const uint64_t offset = Offset(kMaxSize);
    std::string found(random_.Uniform(20000), 'x');
    const auto read = image_.fs().Read(file_.inode(), offset, found);
    const std::string expected = offset < model_.size() ? model_.substr(offset, found.size()) : "";
    REQUIRE(*read == expected.size());
    found.resize(*read);
    REQUIRE(found == expected);
  }

  void Reopen() {
    file_ = OpenFile();
    if (random_.OneIn(2)) image_.Unmount();
    Open();
  }

  // What SEEK_HOLE says is a hole reads as zeros; data and holes cover the file.
  void CheckHoles() {
    uint64_t at = 0;
    while (at < model_.size()) {
      const auto data = image_.fs().SeekData(file_.inode(), at);
      const uint64_t end_of_hole = data.ok() ? *data : model_.size();
      if (!data.ok()) REQUIRE(Errno(data) == ENXIO);
      REQUIRE(model_.substr(at, end_of_hole - at).find_first_not_of('\0') == std::string::npos);
      if (end_of_hole == model_.size()) return;
      at = *image_.fs().SeekHole(file_.inode(), end_of_hole);
      REQUIRE(at > end_of_hole);
    }
  }

  Image& image_;
  Random random_;
  OpenFile file_;
  std::string model_;
};

TEST_CASE("random content operations against a string", "[fs]") {
  const auto rounds = static_cast<uint64_t>(8 * TestScale()) + 1;
  for (uint64_t round = 0; round < rounds; ++round) {
    Image image;
    {
      FileRun run(&image, TestSeed() + round);
      for (int step = 0; step < 300; ++step) {
        INFO("round " << round << " step " << step);
        run.Step();
        if (step % 20 == 0) run.CheckAll();
      }
      run.CheckAll();
    }
    image.Check();
  }
}

TEST_CASE("files are sparse, and as large as they may be", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  {
    const OpenFile file = *image.paths().Create("f", {});
    const uint64_t last = kMaxFileSize.value - 1;
    REQUIRE(fs.Write(file.inode(), last, "x").ok());
    CHECK(fs.GetAttributes(file.inode())->size == kMaxFileSize.value);
    CHECK(Errno(fs.Write(file.inode(), last + 1, "y")) == EFBIG);
    CHECK(*fs.Write(file.inode(), last, "yz") == 1);
    CHECK(*fs.SeekData(file.inode(), 0) == last / 4096 * 4096);
    CHECK(*fs.SeekHole(file.inode(), last) == last + 1);
    AttributeChange change;
    change.size = kMaxFileSize.value + 1;
    CHECK(Errno(fs.SetAttributes(file.inode(), change)) == EFBIG);
    CHECK(Errno(fs.Allocate(file.inode(), AllocateMode::kExtend, kMaxFileSize.value, 1)) == EFBIG);
    std::string bytes(4, 'x');
    CHECK(*fs.Read(file.inode(), uint64_t{1} << 40, bytes) == 4);
    CHECK(bytes == std::string(4, '\0'));
    CHECK(*fs.Read(file.inode(), last, bytes) == 1);
    CHECK(bytes[0] == 'y');
    change.size = 10;
    CHECK(fs.SetAttributes(file.inode(), change).ok());
    CHECK(Errno(fs.SeekData(file.inode(), 0)) == ENXIO);
    CHECK(*fs.SeekHole(file.inode(), 3) == 3);
    CHECK(Errno(fs.SeekHole(file.inode(), 10)) == ENXIO);
  }
  image.Check();
}

TEST_CASE("every allocation changes the times, whether or not it changes the size", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  {
    const OpenFile file = *image.paths().Create("f", {});
    REQUIRE(fs.Write(file.inode(), 0, std::string(10000, 'x')).ok());
    for (const AllocateMode mode : {AllocateMode::kExtend, AllocateMode::kKeepSize}) {
      for (const uint64_t length : {100, 20000}) {
        image.Tick();
        REQUIRE(fs.Allocate(file.inode(), mode, 0, length).ok());
        const FileAttributes attributes = *fs.GetAttributes(file.inode());
        CHECK(attributes.modified == fs.Now());
        CHECK(attributes.changed == fs.Now());
      }
      CHECK(fs.GetAttributes(file.inode())->size == 20000);
    }
    std::string bytes(10000, ' ');
    REQUIRE(fs.Read(file.inode(), 0, bytes).ok());
    CHECK(bytes == std::string(10000, 'x'));
  }
  image.Check();
}

TEST_CASE("content: errors", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  REQUIRE(image.paths().MakeDirectory("d").ok());
  REQUIRE(image.paths().MakeSymlink("t", "l").ok());
  const OpenFile directory = *image.paths().Open("d");
  const OpenFile link = *image.paths().Open("l");
  std::string bytes(4, 'x');
  CHECK(Errno(fs.Read(directory.inode(), 0, bytes)) == EISDIR);
  CHECK(Errno(fs.Write(directory.inode(), 0, "x")) == EISDIR);
  CHECK(Errno(fs.Read(link.inode(), 0, bytes)) == EINVAL);
  AttributeChange change;
  change.size = 0;
  CHECK(Errno(fs.SetAttributes(directory.inode(), change)) == EISDIR);
  CHECK(Errno(fs.SetAttributes(link.inode(), change)) == EINVAL);
  const OpenFile file = *image.paths().Create("f", {});
  CHECK(Errno(fs.Allocate(file.inode(), AllocateMode::kPunchHole, 0, 0)) == EINVAL);
  CHECK(Errno(fs.CopyRange(file.inode(), 0, directory.inode(), 0, 1)) == EISDIR);
}

TEST_CASE("what does not fit is not appended in part", "[fs][full]") {
  ImageOptions options;
  options.size = MiB(3);
  options.log_size = KiB(256);
  options.compression = "none";
  Image image(options);
  FileSystem& fs = image.fs();
  const OpenFile file = *image.paths().Create("f", {});
  REQUIRE(*fs.Append(file.inode(), "begin") == 0);
  const FileTime changed = fs.GetAttributes(file.inode())->changed;
  image.Tick();
  CHECK(Errno(fs.Append(file.inode(), std::string(MiB(2).value, 'x'))) == ENOSPC);
  CHECK(*image.paths().ReadFile("f") == "begin");
  CHECK(fs.GetAttributes(file.inode())->changed == changed);
  REQUIRE(*fs.Append(file.inode(), " and end") == 5);
  REQUIRE(fs.SetAttributes(file.inode(), {.size = kMaxFileSize.value - 3}).ok());
  CHECK(Errno(fs.Append(file.inode(), "four")) == EFBIG);
  CHECK(fs.GetAttributes(file.inode())->size == kMaxFileSize.value - 3);
  CHECK(*fs.Append(file.inode(), "six") == kMaxFileSize.value - 3);
}

TEST_CASE("ranges are copied: cloned where they can be", "[fs]") {
  ImageOptions options;
  options.size = MiB(256);
  options.node_size = KiB(64);
  Image image(options);
  FileSystem& fs = image.fs();
  Random random(TestSeed());
  const std::string content = random.String(3'500'001);
  const OpenFile from = *image.paths().Create("from", {});
  REQUIRE(*fs.Write(from.inode(), 0, content) == content.size());
  const auto copy = [&](const OpenFile& to, uint64_t from_offset, uint64_t to_offset, uint64_t length) {
    return fs.CopyRange(from.inode(), from_offset, to.inode(), to_offset, length);
  };
  SECTION("the whole file") {
    const OpenFile to = *image.paths().Create("to", {});
    CHECK(*copy(to, 0, 0, uint64_t{1} << 62) == content.size());
    CHECK(*image.paths().ReadFile("to") == content);
    REQUIRE(fs.Write(to.inode(), 5, "changed").ok());
    CHECK(*image.paths().ReadFile("from") == content);
  }
  SECTION("parts, over what is there") {
    for (int round = 0; round < 20; ++round) {
      std::string expected = random.String(random.Uniform(4'000'000));
      REQUIRE(image.paths().WriteFile("to", expected).ok());
      const OpenFile to = *image.paths().Open("to");
      const uint64_t offset = random.Uniform(content.size());
      const uint64_t length = random.OneIn(3) ? content.size() : random.Uniform(content.size());
      const uint64_t to_offset = random.OneIn(3) ? random.Uniform(4'000'000) : offset;
      const uint64_t copied = std::min<uint64_t>(length, content.size() - offset);
      INFO(round << ": " << offset << " " << length << " to " << to_offset << " in " << expected.size());
      REQUIRE(*copy(to, offset, to_offset, length) == copied);
      if (copied > 0 && expected.size() < to_offset + copied) expected.resize(to_offset + copied);
      if (copied > 0) expected.replace(to_offset, copied, content.substr(offset, copied));
      REQUIRE(*image.paths().ReadFile("to") == expected);
    }
  }
  SECTION("within the file") {
    CHECK(Errno(copy(from, 0, 10, 20)) == EINVAL);
    CHECK(*copy(from, 0, content.size(), 1000) == 1000);
    CHECK(*image.paths().ReadFile("from") == content + content.substr(0, 1000));
    CHECK(*copy(from, content.size() + 1000, 0, 10) == 0);
  }
  REQUIRE(image.paths().ReadFile("from")->substr(0, content.size()) == content);
}

TEST_CASE("a copy ends where files do", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  const uint64_t largest = kMaxFileSize.value;
  {
    REQUIRE(image.paths().WriteFile("from", "0123456789").ok());
    const OpenFile from = *image.paths().Open("from");
    const OpenFile to = *image.paths().Create("to", {});
    CHECK(*fs.CopyRange(from.inode(), 2, to.inode(), largest - 3, 5) == 3);
    CHECK(fs.GetAttributes(to.inode())->size == largest);
    std::string bytes(3, ' ');
    CHECK(*fs.Read(to.inode(), largest - 3, bytes) == 3);
    CHECK(bytes == "234");
    CHECK(Errno(fs.CopyRange(from.inode(), 0, to.inode(), largest, 1)) == EFBIG);
    CHECK(Errno(fs.CopyRange(from.inode(), 0, to.inode(), UINT64_MAX, 1)) == EFBIG);
    CHECK(*fs.CopyRange(from.inode(), 10, to.inode(), largest, 1) == 0);
    CHECK(*fs.CopyRange(from.inode(), 0, to.inode(), largest, 0) == 0);
    CHECK(*fs.CopyRange(from.inode(), 7, to.inode(), 0, UINT64_MAX) == 3);
  }
  image.Check();
}

TEST_CASE("times follow what happens", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  const FileTime start = image.fs().Now();
  REQUIRE(paths.MakeDirectory("d").ok());
  REQUIRE(paths.WriteFile("d/f", "x").ok());
  image.Tick();
  const FileTime later = image.fs().Now();
  REQUIRE(image.fs().Write(paths.Open("d/f")->inode(), 0, "y").ok());
  CHECK(paths.Stat("d/f")->modified == later);
  CHECK(paths.Stat("d/f")->changed == later);
  CHECK(paths.Stat("d/f")->accessed == start);
  CHECK(paths.Stat("d/f")->born == start);
  CHECK(paths.Stat("d")->modified == start);
  image.Tick();
  const FileTime latest = image.fs().Now();
  REQUIRE(paths.Link("d/f", "g").ok());
  CHECK(paths.Stat("g")->modified == later);
  CHECK(paths.Stat("g")->changed == latest);
  REQUIRE(paths.Unlink("d/f").ok());
  CHECK(paths.Stat("d")->modified == latest);
  AttributeChange change;
  change.modified = FileTime{-5, 999'999'999};
  REQUIRE(paths.SetAttributes("g", change).ok());
  image.Unmount();
  CHECK(image.paths().Stat("g")->modified == FileTime{-5, 999'999'999});
  CHECK(image.paths().Stat("g")->changed == latest);
}

TEST_CASE("access times, when they are wanted, as relatime has them", "[fs]") {
  ImageOptions options;
  options.mount.update_access_times = true;
  Image image(options);
  REQUIRE(image.paths().WriteFile("f", "x").ok());
  image.Tick();
  const FileTime first = image.fs().Now();
  REQUIRE(image.paths().ReadFile("f").ok());
  CHECK(image.paths().Stat("f")->accessed == first);
  image.Tick();
  REQUIRE(image.paths().ReadFile("f").ok());
  CHECK(image.paths().Stat("f")->accessed == first);
  image.clock().Advance(std::chrono::hours(25));
  std::array<char, 1> buffer{};
  const OpenFile file = *image.paths().Open("f");
  REQUIRE(image.fs().Read(file.inode(), 0, buffer, ReadMode::kUnnoticed).ok());
  CHECK(image.paths().Stat("f")->accessed == first);
  REQUIRE(image.paths().ReadFile("f").ok());
  CHECK(image.paths().Stat("f")->accessed == image.fs().Now());
}

}  // namespace
TEST_CASE("small writes to many files are one batch after the other", "[fs][space]") {
  ImageOptions options;
  options.log_size = KiB(64);
  Image image(options);
  {
    std::vector<OpenFile> files;
    for (int i = 0; i < 1000; ++i) files.push_back(*image.paths().Create(fmt::format("file {}", i), {}));
    for (const OpenFile& file : files) REQUIRE(image.fs().Write(file.inode(), 0, "x").ok());
  }
  const absl::Status synced = image.fs().Sync();
  INFO(synced);
  REQUIRE(synced.ok());
  image.Check();
}

}  // namespace betr::test
