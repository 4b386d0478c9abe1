// SPDX-License-Identifier: Apache-2.0
// Who may take names in sticky directories, asked at the moment at which they go.
#include "fs/sticky.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <utility>

#include "base/status.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr uint32_t kCaller = 1000;
constexpr uint32_t kOther = 1001;

// Where the caller may only take what is its own.
absl::Status OwnOnly(uint32_t directory_owner, const FileAttributes& victim) {
  CHECK(directory_owner == kOther);
  return victim.uid == kCaller ? absl::OkStatus() : ErrnoError(EPERM, "a name of somebody else");
}

NewFile Owned(FileType type, uint32_t owner, uint32_t permissions = 0700) {
  return {.type = type, .permissions = permissions, .uid = owner};
}

// Two directories with the same names, of which only one is sticky.
class StickyImage : public Image {
 public:
  StickyImage() {
    for (const char* top : {"sticky", "plain"}) {
      const uint32_t permissions = std::string_view(top) == "sticky" ? 01777 : 0777;
      Must(paths().Create(top, Owned(FileType::kDirectory, kOther, permissions)).status());
      for (const auto& [name, owner] : {std::pair("own", kCaller), std::pair("other", kOther)}) {
        Must(paths().Create(std::string(top) + "/" + name, Owned(FileType::kRegular, owner)).status());
        Must(paths().Create(std::string(top) + "/dir-" + name, Owned(FileType::kDirectory, owner)).status());
      }
    }
  }
  InodeId Find(const char* top) { return Must(fs().Lookup(kRootInode, top)).inode; }
};

TEST_CASE("in a sticky directory nobody takes a name that is not theirs", "[fs]") {
  StickyImage image;
  FileSystem& fs = image.fs();
  const InodeId sticky = image.Find("sticky");
  const InodeId plain = image.Find("plain");
  const std::string before = Describe(image.paths(), "");
  const auto rename = [&](InodeId from, const char* from_name, InodeId to, const char* to_name,
                          RenameMode mode = RenameMode::kReplace) {
    return Errno(fs::RenameChecked(&fs, from, from_name, to, to_name, mode, nullptr, OwnOnly));
  };
  CHECK(Errno(fs::UnlinkChecked(&fs, sticky, "other", OwnOnly)) == EPERM);
  CHECK(Errno(fs::RemoveDirectoryChecked(&fs, sticky, "dir-other", OwnOnly)) == EPERM);
  CHECK(rename(sticky, "other", sticky, "new") == EPERM);
  CHECK(rename(sticky, "own", sticky, "other") == EPERM);
  CHECK(rename(plain, "other", sticky, "other") == EPERM);
  CHECK(rename(sticky, "other", plain, "new") == EPERM);
  CHECK(rename(sticky, "own", sticky, "other", RenameMode::kExchange) == EPERM);
  CHECK(rename(sticky, "own", sticky, "other", RenameMode::kNoReplace) == EEXIST);
  CHECK(Describe(image.paths(), "") == before);
  image.Check();
}

TEST_CASE("what a sticky bit leaves to everybody", "[fs]") {
  StickyImage image;
  FileSystem& fs = image.fs();
  const InodeId sticky = image.Find("sticky");
  const InodeId plain = image.Find("plain");
  const auto rename = [&](InodeId from, const char* from_name, InodeId to, const char* to_name) {
    return fs::RenameChecked(&fs, from, from_name, to, to_name, RenameMode::kReplace, nullptr, OwnOnly);
  };
  CHECK(rename(plain, "other", sticky, "own").ok());
  CHECK(rename(sticky, "dir-own", plain, "dir-other").ok());
  CHECK(fs::UnlinkChecked(&fs, plain, "own", OwnOnly).ok());
  CHECK(fs::RemoveDirectoryChecked(&fs, plain, "dir-own", OwnOnly).ok());
  CHECK(fs::UnlinkChecked(&fs, sticky, "other", {}).ok());
  CHECK(fs::RemoveDirectoryChecked(&fs, sticky, "dir-other", {}).ok());
  image.Check();
}

}  // namespace
}  // namespace betr::test
