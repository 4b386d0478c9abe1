// SPDX-License-Identifier: Apache-2.0
// Paths as long as they may be, down to names of one byte, with the smallest log: everything that fits can be made, and
// costs little more than its keys. What says that a path would be too long looks before it does.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

// In the root: directories of one-byte names, one in another, until the path has `size` bytes (an odd number).
class Chain {
 public:
  Chain(FileSystem* fs, char name, size_t size) : fs_(*fs), directories_{kRootInode} {
    NewFile directory;
    directory.type = FileType::kDirectory;
    while (2 * directories_.size() - 1 <= size) {
      INFO(2 * directories_.size() - 1 << " bytes of path");
      directories_.push_back(Must(fs_.Create(Bottom(), std::string(1, name), directory)).inode);
    }
  }
  ~Chain() {
    for (auto at = directories_.rbegin(); *at != kRootInode; ++at) fs_.Forget(*at, 1);
  }

  InodeId Bottom() const { return directories_.back(); }
  InodeId Parent() const { return directories_[directories_.size() - 2]; }

 private:
  FileSystem& fs_;
  std::vector<InodeId> directories_;
};

ImageOptions SmallLog() {
  ImageOptions options;
  options.node_size = KiB(64);
  options.basement_size = KiB(4);
  options.log_size = KiB(64);
  return options;
}

absl::Status Make(FileSystem& fs, InodeId directory, const std::string& name, const NewFile& file) {
  const absl::StatusOr<Entry> made = fs.Create(directory, name, file);
  if (made.ok()) fs.Forget(made->inode, 1);
  return made.status();
}

absl::Status MakeFile(FileSystem& fs, InodeId directory, size_t name_size) {
  return Make(fs, directory, std::string(name_size, 'f'), {});
}

TEST_CASE("a chain of directories is as deep as its path may be long", "[fs]") {
  Image image(SmallLog());
  {
    const Bytes before = image.fs().store().Stats().bytes_batches;
    const Chain chain(&image.fs(), 'd', kMaxPathSize);
    CHECK(Errno(MakeFile(image.fs(), chain.Bottom(), 1)) == ENAMETOOLONG);
    // Two keys for each, of 2 KiB in the middle, and little more for all directories above.
    const Bytes written = image.fs().store().Stats().bytes_batches - before;
    CHECK(written.value < MiB(10).value);
    NewFile link;
    link.type = FileType::kSymlink;
    link.target = std::string(kMaxPathSize, 't');
    Must(Make(image.fs(), chain.Parent(), "l", link));
  }
  image.Check();
  Must(image.paths().RemoveTree("d"));
  image.Check();
}

TEST_CASE("one long name reaches farther for all directories above", "[fs]") {
  Image image(SmallLog());
  for (const size_t size : {201, 401, 801, 1601, 3201}) {
    Must(MakeFile(image.fs(), Chain(&image.fs(), 'd', size).Bottom(), kMaxNameSize));
    image.CrashUnflushed();
    image.Check();
    Must(image.paths().RemoveTree("d"));
  }
}

TEST_CASE("writes are gathered under the longest paths", "[fs]") {
  Image image(SmallLog());
  {
    const Chain chain(&image.fs(), 'd', kMaxPathSize - 2);
    const InodeId file = Must(image.fs().Create(chain.Bottom(), "f", {})).inode;
    for (int i = 0; i < 3; ++i) {
      Must(image.fs().Write(file, 0, std::string(kFileBlock.value, 'x')).status());
      Must(MakeFile(image.fs(), chain.Parent(), 1));
      Must(image.fs().Unlink(chain.Parent(), "f"));
    }
    image.fs().Forget(file, 1);
  }
  image.Check();
}

// What lies in the directory a: a path of so many bytes, with the "a"; and maybe once a longer one.
struct Shape {
  size_t longest;
  bool was_longer;
};

enum class How : uint8_t { kRename, kExchange, kClone };

absl::Status Place(Image& image, How how, InodeId directory, const std::string& name) {
  FileSystem& fs = image.fs();
  if (how == How::kRename) return fs.Rename(kRootInode, "a", directory, name);
  if (how == How::kExchange) {
    NewFile other;
    other.type = FileType::kDirectory;
    Must(Make(fs, directory, name, other));
    return fs.Rename(kRootInode, "a", directory, name, RenameMode::kExchange);
  }
  const OpenFile source = Must(image.paths().Open("a"));
  const absl::StatusOr<Entry> clone = fs.Clone(source.inode(), directory, name);
  if (clone.ok()) fs.Forget(clone->inode, 1);
  return clone.status();
}

void PlaceWhatFits(How how, const Shape& shape, bool with_zones) {
  ImageOptions options = SmallLog();
  options.log_size = MiB(1);
  if (with_zones) options.experiments.zone_size = KiB(4);
  Image image(options);
  Chain(&image.fs(), 'a', shape.longest);
  if (shape.was_longer) {
    const std::string longer = "a/" + std::string(200, 'x');
    Must(image.paths().MakeDirectories(longer + "/" + std::string(200, 'y')));
    Must(image.paths().RemoveTree(longer));
  }
  constexpr size_t kFits = 51;
  {
    const Chain chain(&image.fs(), 'd', kMaxPathSize - shape.longest - kFits);
    CHECK(Errno(Place(image, how, chain.Bottom(), std::string(kFits + 1, 'p'))) == ENAMETOOLONG);
    Must(Place(image, how, chain.Bottom(), std::string(kFits, 'p')));
    // What was just moved makes no other path longer than it is.
    CHECK(Errno(image.fs().Rename(chain.Bottom(), std::string(kFits, 'p'), chain.Bottom(),
                                  std::string(kFits + 1, 'q'))) == ENAMETOOLONG);
  }
  image.Check();
}

TEST_CASE("what fits is renamed and cloned, what does not is refused", "[fs]") {
  const How how = GENERATE(How::kRename, How::kExchange, How::kClone);
  const Shape shape = GENERATE(Shape{3, false}, Shape{3, true}, Shape{601, false}, Shape{1201, true});
  INFO(static_cast<int>(how) << ", longest " << shape.longest << (shape.was_longer ? ", once longer" : ""));
  PlaceWhatFits(how, shape, false);
}

TEST_CASE("what fits is renamed, what does not is refused, with zones", "[fs][ablation]") {
  PlaceWhatFits(GENERATE(How::kRename, How::kExchange), {601, true}, true);
}

TEST_CASE("all is cloned into itself until a path would be too long", "[fs]") {
  Image image;
  const auto name = [](size_t number) { return fmt::format("{:03}", number) + std::string(117, 's'); };
  Must(MakeFile(image.fs(), kRootInode, 1));
  constexpr size_t kFit = (kMaxPathSize - 1) / 121;  // one in the other, and the file in the last: 2^33 files
  for (size_t i = 0; i < kFit; ++i) {
    INFO("clone " << i);
    Must(image.paths().Clone("", name(i)));
  }
  CHECK(Errno(image.paths().Clone("", name(kFit))) == ENAMETOOLONG);
  CHECK(Errno(image.paths().Rename(name(kFit - 1), name(0) + "/" + name(0))) == ENAMETOOLONG);
  Must(image.paths().Clone(name(kFit - 2), name(0) + "/" + name(0)));
  image.Check();
}

TEST_CASE("clones with more ways to them than can be walked are refused where a path may be too long", "[fs]") {
  Image image;
  Must(MakeFile(image.fs(), kRootInode, 1));
  constexpr size_t kFit = (kMaxPathSize - 1) / 61;
  size_t made = 0;
  absl::Status status;
  while ((status = image.paths().Clone("", fmt::format("{:060}", made))).ok()) ++made;
  CHECK(Errno(status) == ENAMETOOLONG);
  CHECK(made <= kFit);
  CHECK(made >= kFit - 5);  // what the records say in excess
  Must(image.paths().Clone(fmt::format("{:060}", made / 2), "another"));
}

}  // namespace
}  // namespace betr::test
