// SPDX-License-Identifier: Apache-2.0
#include "device/loop_backing.h"

#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace betr {
namespace {

std::string Contents(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// As the kernel knows it; empty for anything but a whole loop device. `device`: its directory in /sys.
std::string BackingPath(const std::string& device) {
  std::string path = Contents(device + "/loop/backing_file");
  if (path.ends_with('\n')) path.pop_back();
  return path;
}

std::string DirectoryOf(int loop) {
  struct stat device {};
  if (fstat(loop, &device) != 0) return "";
  return absl::StrFormat("/sys/dev/block/%u:%u", major(device.st_rdev), minor(device.st_rdev));
}

// Who may not open the device goes by the name of its file.
bool ShowsFile(const std::string& loop, const std::string& backing, const struct stat& file) {
  const ScopedFd fd(OpenRetrying(loop, O_RDONLY | O_NONBLOCK));
  loop_info64 info{};
  if (fd.get() >= 0 && ioctl(fd.get(), LOOP_GET_STATUS64, &info) == 0) {
    return info.lo_device == file.st_dev && info.lo_inode == file.st_ino;
  }
  struct stat named {};
  return stat(backing.c_str(), &named) == 0 && named.st_dev == file.st_dev && named.st_ino == file.st_ino;
}

// Whether it or a partition of it is, as far as this process sees.
bool IsMounted(const std::string& loop) {
  const std::string mounts = Contents("/proc/self/mountinfo");
  for (const std::string_view end : {" ", "p"}) {
    if (mounts.find(absl::StrFormat(" %s%s", loop, end)) != std::string::npos) return true;
  }
  return false;
}

// A claim on a partition is one on the whole device, too.
bool IsClaimed(const std::string& loop) {
  const ScopedFd fd(OpenRetrying(loop, O_RDONLY | O_EXCL | O_NONBLOCK));
  return fd.get() < 0 && (errno == EBUSY || IsMounted(loop));
}

}  // namespace

std::unique_ptr<LoopBacking> LoopBacking::Open(int loop, bool is_writable) {
  const std::string path = BackingPath(DirectoryOf(loop));
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

std::string ClaimedLoopOn(int file) {
  struct stat shown {};
  if (fstat(file, &shown) != 0) return "";
  std::error_code error;
  for (std::filesystem::directory_iterator each("/sys/block", error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    const std::string backing = name.starts_with("loop") ? BackingPath(each->path().string()) : "";
    const std::string loop = "/dev/" + name;
    if (!backing.empty() && ShowsFile(loop, backing, shown) && IsClaimed(loop)) return loop;
  }
  return "";
}

}  // namespace betr
