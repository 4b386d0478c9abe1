// SPDX-License-Identifier: Apache-2.0
// What lies outside of a directory cannot be reached from it by any path, and what must not be opened is not.
#include "replay/confined_directory.h"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "replay/host_listing.h"
#include "support/device/temp_dir.h"

namespace betr::replay {
namespace {

using Walk = ConfinedDirectory::Walk;

// A victim, and beside it a directory with `d/f`, and symlinks to all of these.
class Field {
 public:
  Field() {
    std::filesystem::create_directories(dir_.File("victim/v"));
    std::filesystem::create_directories(dir_.File("in/d"));
    std::ofstream(dir_.File("victim/secret")) << "secret";
    std::ofstream(dir_.File("in/d/f")) << "content";
    for (const char* name : {"victim", "in/d", "victim/secret", "in/d/f"}) {
      const std::string last = std::filesystem::path(name).filename();
      std::filesystem::create_symlink(dir_.File(name), dir_.File("in/to-" + last));
    }
    REQUIRE(mkfifo(dir_.File("in/fifo").c_str(), 0600) == 0);
  }

  ConfinedDirectory Open(Walk walk) const {
    return {ScopedFd(open(dir_.File("in").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), walk};
  }
  std::string File(const std::string& name) const { return dir_.File(name); }

 private:
  TempDir dir_;
};

int ErrorOfFind(const ConfinedDirectory& directory, const std::string& path) {
  return directory.Find(path).get() < 0 ? errno : 0;
}

int ErrorOfEnter(const ConfinedDirectory& directory, const std::string& path) {
  return directory.Enter(path).directory() < 0 ? errno : 0;
}

bool IsSame(int descriptor, const std::string& path) {
  struct stat one {};
  struct stat other {};
  REQUIRE(fstat(descriptor, &one) == 0);
  REQUIRE(lstat(path.c_str(), &other) == 0);
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

TEST_CASE("paths lead to what is in the directory") {
  const Field field;
  for (const Walk walk : {Walk::kAtOnce, Walk::kBySteps}) {
    INFO("walk " << static_cast<int>(walk));
    const ConfinedDirectory directory = field.Open(walk);
    CHECK(IsSame(directory.Find(".").get(), field.File("in")));
    CHECK(IsSame(directory.Find("d").get(), field.File("in/d")));
    CHECK(IsSame(directory.Find("d/f").get(), field.File("in/d/f")));
    CHECK(IsSame(directory.Find("d//f").get(), field.File("in/d/f")));
    CHECK(IsSame(directory.Find("to-secret").get(), field.File("in/to-secret")));
    const ConfinedDirectory::Entry entry = directory.Enter("d/new");
    CHECK(IsSame(entry.directory(), field.File("in/d")));
    CHECK(std::string(entry.name()) == "new");
    CHECK(directory.Enter("new").directory() == directory.get());
    CHECK(ErrorOfFind(directory, "none") == ENOENT);
    CHECK(ErrorOfFind(directory, "none/x") == ENOENT);
    CHECK(ErrorOfFind(directory, "d/f/x") == ENOTDIR);
    CHECK(ErrorOfFind(directory, "d/f/") == ENOTDIR);
    CHECK(ErrorOfEnter(directory, "d/f/x") == ENOTDIR);
    CHECK(ErrorOfFind(directory, "") == ENOENT);
    CHECK(ErrorOfEnter(directory, "") == ENOENT);
  }
}

TEST_CASE("no path leads out") {
  const Field field;
  for (const Walk walk : {Walk::kAtOnce, Walk::kBySteps}) {
    const ConfinedDirectory directory = field.Open(walk);
    const std::string absolute = field.File("victim/secret");
    for (const std::string& path :
         {std::string(".."), std::string("../victim"), std::string("d/../../victim/secret"), absolute, "/" + absolute,
          std::string("d/../.."), std::string("to-victim/secret"), std::string("to-victim/v"), std::string("to-d/f"),
          std::string("to-victim/../victim/v/x"), std::string("to-secret/"), std::string("..\0x", 4),
          std::string("d\0/../../victim", 15)}) {
      INFO("walk " << static_cast<int>(walk) << " " << path);
      CHECK(ErrorOfFind(directory, path) != 0);
      CHECK(ErrorOfEnter(directory, path) != 0);
    }
    CHECK(ErrorOfEnter(directory, "to-victim/planted") != 0);
    CHECK(ErrorOfEnter(directory, "d/..") == EXDEV);
  }
}

TEST_CASE("only files and directories are opened") {
  const Field field;
  const ConfinedDirectory directory = field.Open(Walk::kAtOnce);
  const auto error_of_open = [&directory](const std::string& path, int flags) {
    return ConfinedDirectory::OpenFound(directory.Find(path).get(), flags).get() < 0 ? errno : 0;
  };
  CHECK(error_of_open("d/f", O_RDWR) == 0);
  CHECK(error_of_open("d/f", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW) == 0);
  CHECK(error_of_open("d", O_RDONLY | O_DIRECTORY) == 0);
  CHECK(error_of_open("d", O_RDONLY | O_CREAT) == EISDIR);
  CHECK(error_of_open("d/f", O_RDONLY | O_DIRECTORY) == ENOTDIR);
  CHECK(error_of_open("to-secret", O_RDWR | O_TRUNC) == ELOOP);
  CHECK(error_of_open("fifo", O_WRONLY) == ENXIO);
  CHECK(error_of_open("none", O_WRONLY) == EBADF);
  CHECK(std::filesystem::file_size(field.File("victim/secret")) == 6);
}

TEST_CASE("what is found is reached itself, also if it is a symlink or has another name meanwhile") {
  const Field field;
  const ConfinedDirectory directory = field.Open(Walk::kAtOnce);
  const ScopedFd link = directory.Find("to-secret");
  const std::string to_link = ConfinedDirectory::PathOfDescriptor(link.get());
  struct stat before {};
  REQUIRE(stat(field.File("victim/secret").c_str(), &before) == 0);
  chmod(to_link.c_str(), 0777);
  CHECK(truncate(to_link.c_str(), 0) != 0);
  CHECK(setxattr(to_link.c_str(), "user.x", "y", 1, 0) != 0);
  struct stat after {};
  REQUIRE(stat(field.File("victim/secret").c_str(), &after) == 0);
  CHECK(after.st_mode == before.st_mode);
  CHECK(after.st_size == 6);
  CHECK(getxattr(field.File("victim/secret").c_str(), "user.x", nullptr, 0) < 0);

  const ScopedFd file = directory.Find("d/f");
  std::filesystem::rename(field.File("in/d/f"), field.File("in/d/g"));
  std::filesystem::create_symlink(field.File("victim/secret"), field.File("in/d/f"));
  CHECK(truncate(ConfinedDirectory::PathOfDescriptor(file.get()).c_str(), 3) == 0);
  CHECK(std::filesystem::file_size(field.File("in/d/g")) == 3);
  CHECK(std::filesystem::file_size(field.File("victim/secret")) == 6);
}

TEST_CASE("paths that are too long for a system call") {
  const Field field;
  for (const Walk walk : {Walk::kAtOnce, Walk::kBySteps}) {
    INFO("walk " << static_cast<int>(walk));
    const ConfinedDirectory directory = field.Open(walk);
    std::string path = "d";
    for (int depth = 0; depth < 40; ++depth) {
      path += "/" + std::string(250, static_cast<char>('a' + static_cast<int>(walk)));
      const ConfinedDirectory::Entry entry = directory.Enter(path);
      REQUIRE(mkdirat(entry.directory(), entry.name(), 0755) == 0);
    }
    CHECK(directory.Find(path).get() >= 0);
    const ConfinedDirectory::Entry entry = directory.Enter(path + "/l");
    REQUIRE(symlinkat(field.File("victim").c_str(), entry.directory(), entry.name()) == 0);
    CHECK(ErrorOfFind(directory, path + "/l/secret") != 0);
    CHECK(ErrorOfEnter(directory, path + "/l/planted") != 0);
    CHECK(ErrorOfFind(directory, std::string(5000, 'x')) == ENAMETOOLONG);
    CHECK(ErrorOfEnter(directory, std::string(5000, 'x') + "/y") == ENAMETOOLONG);
  }
}

TEST_CASE("a listing that cannot look into a directory says why") {
  const Field field;
  const ConfinedDirectory directory = field.Open(Walk::kAtOnce);
  REQUIRE(chmod(field.File("in").c_str(), 0600) == 0);
  const int before = setfsuid(65534);  // root may look into all
  const absl::StatusOr<Manifest> listed = ListHost(directory, "in", "/w");
  setfsuid(static_cast<uid_t>(before));
  REQUIRE(chmod(field.File("in").c_str(), 0700) == 0);
  REQUIRE_FALSE(listed.ok());
  CHECK(std::string(listed.status().message()) == "in: open: Permission denied");
}

}  // namespace
}  // namespace betr::replay
