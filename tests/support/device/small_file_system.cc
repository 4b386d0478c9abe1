// SPDX-License-Identifier: Apache-2.0
#include "support/device/small_file_system.h"

#include <sys/mount.h>

#include <catch2/catch.hpp>

namespace betr {
namespace {

bool Mount(const std::string& path, Bytes size, unsigned long flags) {
  const std::string options = "size=" + std::to_string(size.value);
  return mount("tmpfs", path.c_str(), "tmpfs", flags, options.c_str()) == 0;
}

}  // namespace

SmallFileSystem::SmallFileSystem(Bytes size) : mounted_(Mount(dir_.path(), size, 0)) {}

SmallFileSystem::~SmallFileSystem() {
  if (mounted_) umount2(dir_.path().c_str(), MNT_DETACH);
}

void SmallFileSystem::Resize(Bytes size) { REQUIRE(Mount(dir_.path(), size, MS_REMOUNT)); }

}  // namespace betr
