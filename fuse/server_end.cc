// SPDX-License-Identifier: Apache-2.0
#include "server_end.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "mount_table.h"

namespace betr::fuse {
namespace {

namespace stdfs = std::filesystem;

constexpr std::chrono::milliseconds kPeriod{20};
constexpr std::chrono::seconds kLongestServing{10};  // after its mount has gone: for requests that it has begun
constexpr std::chrono::seconds kLongest{120};

// glibc 2.36 declares its own for C only.
int OpenProcess(pid_t process) { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

const MountInfo* FindDevice(const std::vector<MountInfo>& infos, std::string_view device) {
  const auto found = std::ranges::find(infos, device, &MountInfo::device);
  return found == infos.end() ? nullptr : &*found;
}

// Returns a process in another mount namespace in which this file system is mounted. Root sees all processes, others
// only their own.
std::string OtherNamespaceWith(std::string_view device) {
  std::error_code error;
  std::set<stdfs::path> known = {stdfs::read_symlink("/proc/self/ns/mnt", error)};
  for (stdfs::directory_iterator process("/proc", error), end; !error && process != end; process.increment(error)) {
    const std::string number = process->path().filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code gone;
    const stdfs::path space = stdfs::read_symlink(process->path() / "ns/mnt", gone);
    if (gone || !known.insert(space).second) continue;
    if (FindDevice(MountInfosOf(number), device) != nullptr) return number;
  }
  return {};
}

// Returns where else it is mounted, as far as can be seen.
std::string PlaceOf(std::string_view device) {
  const std::vector<MountInfo> infos = MountInfos();
  if (const MountInfo* const info = FindDevice(infos, device)) return "on " + info->directory;
  const std::string process = OtherNamespaceWith(device);
  return process.empty() ? "" : fmt::format("in the namespace of process {}", process);
}

}  // namespace

ServerEnd::ServerEnd(const std::string& directory, std::string image, pid_t process)
    : image_(std::move(image)), process_(process) {
  for (const MountInfo& info : MountInfos()) {
    if (info.directory == directory) device_ = info.device;  // the last one is on top
  }
  if (process_ > 0) process_fd_ = ScopedFd(OpenProcess(process_));
  if (process_ <= 0) image_fd_ = ScopedFd(open(image_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

std::string ServerEnd::Wait() {
  const auto begun = std::chrono::steady_clock::now();
  if (HasEnded()) return {};
  // Look at once: the number of a file system that has gone is soon used for another one.
  if (const std::string place = device_.empty() ? "" : PlaceOf(device_); !place.empty() && !HasEnded()) {
    return fmt::format("{}: still in use by {}: also mounted {}", image_, User(), place);
  }
  while (!HasEnded()) {
    const auto waited = std::chrono::steady_clock::now() - begun;
    if (waited > kLongestServing && IsServing()) {
      return fmt::format("{}: still in use by {}: mounted elsewhere, too?", image_, User());
    }
    if (waited > kLongest) return fmt::format("{}: still in use by {}", image_, User());
  }
  return {};
}

bool ServerEnd::HasEnded() const {
  if (process_fd_.get() >= 0) {
    pollfd wait{process_fd_.get(), POLLIN, 0};
    return poll(&wait, 1, static_cast<int>(kPeriod.count())) > 0;
  }
  if (image_fd_.get() < 0) return true;
  struct flock lock {};
  lock.l_type = F_RDLCK;  // only writers are in its way
  if (fcntl(image_fd_.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return true;
  std::this_thread::sleep_for(kPeriod);
  return false;
}

bool ServerEnd::IsServing() const {
  if (process_ <= 0) return false;
  std::error_code error;
  stdfs::directory_iterator fd(fmt::format("/proc/{}/fd", process_), error);
  for (const stdfs::directory_iterator end; !error && fd != end; fd.increment(error)) {
    std::error_code closed;
    if (stdfs::read_symlink(fd->path(), closed) == "/dev/fuse") return true;
  }
  return false;
}

std::string ServerEnd::User() const {
  return process_ > 0 ? fmt::format("process {}", process_) : std::string("another process");
}

}  // namespace betr::fuse
