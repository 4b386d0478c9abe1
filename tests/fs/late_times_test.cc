// SPDX-License-Identifier: Apache-2.0
// Files whose times come later than their content, and clones of them meanwhile.
#include "fs/late_times.h"

#include <catch2/catch.hpp>

#include "fs/write_all.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

const std::string kContent(10'000, 'x');

class LateImage : public Image {
 public:
  LateImage() {
    Must(paths().MakeDirectories("tree/sub"));
    Must(paths().WriteFile("tree/sub/file", "content"));
    Tick();
  }
  FileAttributes Stat(const char* path) { return Must(paths().Stat(path)); }
};

TEST_CASE("what is written without times leaves them", "[fs]") {
  LateImage image;
  const FileAttributes before = image.Stat("tree/sub/file");
  {
    const OpenFile file = Must(image.paths().Open("tree/sub/file"));
    Must(fs::WriteAllButTimes(&image.fs(), file.inode(), 5, kContent));
  }
  const auto check = [&] {
    const FileAttributes after = image.Stat("tree/sub/file");
    CHECK(after.size == 5 + kContent.size());
    CHECK(after.modified == before.modified);
    CHECK(after.changed == before.changed);
    CHECK(Must(image.paths().ReadFile("tree/sub/file")) == "conte" + kContent);
  };
  check();
  image.Unmount();
  check();
  image.Check();
}

TEST_CASE("a clone of what has no times yet is changed now, and its source is not", "[fs]") {
  LateImage image;
  const std::string source = GENERATE("tree", "tree/sub/file");
  const std::string clone_file = source == "tree" ? "clone/sub/file" : "clone";
  const FileAttributes before = image.Stat("tree/sub/file");
  {
    const OpenFile file = Must(image.paths().Open("tree/sub/file"));
    const OpenFile top = Must(image.paths().Open(source));
    const auto clone = [&] {
      image.Tick();
      Must(fs::CloneWithLateTimes(&image.fs(), {file.inode()}, top.inode(), kRootInode, "clone", nullptr).status());
      return image.Stat(clone_file.c_str());
    };
    Must(fs::WriteAllButTimes(&image.fs(), file.inode(), 0, kContent));
    for (int round = 0; round < 2; ++round) {
      const FileAttributes cloned = clone();
      CHECK(cloned.modified > before.modified);
      CHECK(cloned.size == kContent.size());
      CHECK(image.Stat("tree/sub/file").modified == before.modified);
      CHECK(image.Stat("tree/sub/file").changed == before.changed);
      Must(image.paths().RemoveTree("clone"));
    }
    AttributeChange times;
    times.modified = times.changed = image.fs().Now();
    Must(image.fs().SetAttributes(file.inode(), times).status());
    CHECK(clone().modified == *times.modified);
  }
  image.Check();
}

}  // namespace
}  // namespace betr::test
