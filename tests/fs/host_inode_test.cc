// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/host_inode.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>

#include "base/scoped_fd.h"
#include "betr/fs_error.h"
#include "support/device/temp_dir.h"

namespace betr::fs {

TEST_CASE("the mode of what has become a symbolic link is not set behind it") {
  const TempDir ground;
  const std::string target = ground.File("target");
  std::ofstream(target) << "somebody else's";
  REQUIRE(chmod(target.c_str(), 0600) == 0);
  REQUIRE(symlink("target", ground.File("link").c_str()) == 0);
  const ScopedFd directory(open(ground.path().c_str(), O_RDONLY | O_DIRECTORY));
  const std::string names[] = {"link", "target"};
  CHECK(ToErrno(HostInode(-1, directory.get(), names[0], target).SetPermissions(0666)) == EOPNOTSUPP);
  struct stat attributes {};
  REQUIRE(lstat(target.c_str(), &attributes) == 0);
  CHECK((attributes.st_mode & 0777) == 0600);
  CHECK(HostInode(-1, directory.get(), names[1], target).SetPermissions(0640).ok());
  REQUIRE(lstat(target.c_str(), &attributes) == 0);
  CHECK((attributes.st_mode & 0777) == 0640);
}

}  // namespace betr::fs
