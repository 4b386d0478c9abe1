// SPDX-License-Identifier: Apache-2.0
#include "device/loop_backing.h"

#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <iterator>

namespace betr {
namespace {

// As the kernel knows it; empty for anything but a whole loop device.
std::string BackingPath(int loop) {
  struct stat device {};
  if (fstat(loop, &device) != 0) return "";
  std::ifstream file(
      absl::StrFormat("/sys/dev/block/%u:%u/loop/backing_file", major(device.st_rdev), minor(device.st_rdev)));
  std::string path(std::istreambuf_iterator<char>(file), {});
  if (path.ends_with('\n')) path.pop_back();
  return path;
}

}  // namespace

std::unique_ptr<LoopBacking> LoopBacking::Open(int loop, bool is_writable) {
  const std::string path = BackingPath(loop);
  loop_info64 info{};
  if (path.empty() || ioctl(loop, LOOP_GET_STATUS64, &info) != 0) return nullptr;
  ScopedFd fd(OpenRetrying(path, (is_writable ? O_RDWR : O_RDONLY) | O_NONBLOCK));
  if (fd.get() < 0) return nullptr;
  std::unique_ptr<LoopBacking> backing(new LoopBacking(path, std::move(fd)));
  struct stat opened {};
  // The name may be gone, or mean another file to this process.
  if (fstat(backing->fd(), &opened) != 0 || opened.st_dev != info.lo_device || opened.st_ino != info.lo_inode)
    return nullptr;
  backing->begin_ = Bytes{info.lo_offset};
  backing->size_ = Bytes{info.lo_sizelimit};
  return backing;
}

std::string FileBehind(const std::string& path) {
  const ScopedFd loop(OpenRetrying(path, O_RDONLY | O_NONBLOCK));
  if (loop.get() < 0) return path;
  const std::unique_ptr<LoopBacking> backing = LoopBacking::Open(loop.get(), false);
  return backing == nullptr ? path : backing->path();
}

}  // namespace betr
