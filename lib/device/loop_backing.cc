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
#include <optional>
#include <string_view>
#include <system_error>

namespace betr {
namespace {

std::string Contents(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns the path of the file as the kernel knows it. Empty for anything but a whole loop device. `device`: its
// directory in /sys.
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

// The part of a file that a loop device shows.
struct Part {
  uint64_t device = 0;  // on which the file is
  uint64_t inode = 0;
  Bytes begin{0};
  Bytes size{0};  // 0: up to the end of the file

  bool Overlaps(const Part& other) const {
    const auto ends_before = [](const Part& one, const Part& two) {
      return one.size > Bytes{0} && one.begin + one.size <= two.begin;
    };
    return device == other.device && inode == other.inode && !ends_before(*this, other) && !ends_before(other, *this);
  }
};

std::optional<Part> ShownBy(int loop) {
  loop_info64 info{};
  if (loop < 0 || ioctl(loop, LOOP_GET_STATUS64, &info) != 0) return std::nullopt;
  return Part{info.lo_device, info.lo_inode, Bytes{info.lo_offset}, Bytes{info.lo_sizelimit}};
}

Part WholeFile(const struct stat& file) { return {file.st_dev, file.st_ino}; }

// Whether a loop device shows some of `part`. If this process may not open the device, goes by the name of its file,
// and takes it to show all of that.
bool ShowsSomeOf(const Part& part, const std::string& loop, const std::string& backing) {
  const ScopedFd fd(OpenRetrying(loop, O_RDONLY | O_NONBLOCK));
  if (const std::optional<Part> shown = ShownBy(fd.get())) return shown->Overlaps(part);
  struct stat named {};
  return stat(backing.c_str(), &named) == 0 && WholeFile(named).Overlaps(part);
}

// Whether the device or a partition of it is mounted, as far as this process sees.
bool IsMounted(const std::string& loop) {
  const std::string mounts = Contents("/proc/self/mountinfo");
  for (const std::string_view end : {" ", "p"}) {
    if (mounts.find(absl::StrFormat(" %s%s", loop, end)) != std::string::npos) return true;
  }
  return false;
}

// A claim on a partition is a claim on the whole device too.
bool IsClaimed(const std::string& loop) {
  const ScopedFd fd(OpenRetrying(loop, O_RDONLY | O_EXCL | O_NONBLOCK));
  return fd.get() < 0 && (errno == EBUSY || IsMounted(loop));
}

// `but`: the name of a device that does not count.
std::string ClaimedLoop(const Part& part, std::string_view but) {
  std::error_code error;
  for (std::filesystem::directory_iterator each("/sys/block", error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    const bool counts = name.starts_with("loop") && name != but;
    const std::string backing = counts ? BackingPath(each->path().string()) : "";
    const std::string loop = "/dev/" + name;
    if (!backing.empty() && ShowsSomeOf(part, loop, backing) && IsClaimed(loop)) return loop;
  }
  return "";
}

}  // namespace

std::unique_ptr<LoopBacking> LoopBacking::Open(int loop, bool is_writable) {
  const std::string path = BackingPath(DirectoryOf(loop));
  const std::optional<Part> shown = ShownBy(loop);
  if (path.empty() || !shown) return nullptr;
  ScopedFd fd(OpenRetrying(path, (is_writable ? O_RDWR : O_RDONLY) | O_NONBLOCK));
  if (fd.get() < 0) return nullptr;
  std::unique_ptr<LoopBacking> backing(new LoopBacking(path, std::move(fd)));
  struct stat opened {};
  // The name may be gone, or mean another file to this process.
  if (fstat(backing->fd(), &opened) != 0 || opened.st_dev != shown->device || opened.st_ino != shown->inode) {
    return nullptr;
  }
  backing->begin_ = shown->begin;
  backing->size_ = shown->size;
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
  return fstat(file, &shown) == 0 ? ClaimedLoop(WholeFile(shown), "") : "";
}

std::string ClaimedLoopBeside(int loop) {
  const std::string directory = DirectoryOf(loop);
  const std::optional<Part> part = BackingPath(directory).empty() ? std::nullopt : ShownBy(loop);
  std::error_code error;
  const std::filesystem::path own = std::filesystem::canonical(directory, error);
  return part && !error ? ClaimedLoop(*part, own.filename().string()) : "";
}

}  // namespace betr
