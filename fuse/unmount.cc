// SPDX-License-Identifier: Apache-2.0
#include "unmount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "mount_table.h"
#include "served_image.h"
#include "tool.h"

namespace betr::fuse {
namespace {

constexpr int kUsageExit = 1;       // mount(8)
constexpr int kUnmountFailed = 32;  // mount(8)
constexpr std::chrono::milliseconds kPeriod{20};
constexpr int kTries = 25;
constexpr std::chrono::seconds kLongest{120};
constexpr std::chrono::seconds kLongestAnswer{10};  // of a server that is busy

bool RunFusermount(const std::string& directory, UnmountMode mode, bool quietly) {
  std::string program = "fusermount3";
  std::string options = std::string(mode.lazily ? "-uz" : "-u") + (quietly ? "q" : "");
  std::string end = "--";
  std::string path = directory;
  std::array<char*, 5> arguments{program.data(), options.data(), end.data(), path.data(), nullptr};
  pid_t child = -1;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) return false;
  int status = 0;
  const bool done = waitpid(child, &status, 0) == child && status == 0;
  errno = 0;  // it has said itself why not
  return done;
}

int FlagsOf(UnmountMode mode) { return (mode.lazily ? MNT_DETACH : 0) | (mode.force ? MNT_FORCE : 0); }

// What is mounted on the directory, on top of all else; nothing of it if the kernel does not tell.
MountEntry MountedOn(const std::string& directory) {
  MountEntry top;
  for (MountEntry& entry : MountTable()) {
    if (entry.directory == directory) top = std::move(entry);
  }
  return top;
}

// The image that is mounted; empty if nothing of ours.
std::string ImageOf(const MountEntry& mount, UnmountMode mode) {
  if (mount.source.empty() || mode.force) return mount.source;
  return ImageServedOn(mount.directory, kLongestAnswer).value_or(mount.source);
}

// Whether something is mounted there that is none of ours. Who has mounted it may have chosen any subtype: another one
// than usual says nothing, and its server is asked.
bool IsForeign(const MountEntry& mount, UnmountMode mode) {
  if (mount.type.empty() || mount.type == "fuse.betr") return false;
  if (!mount.type.starts_with("fuse")) return true;
  return !mode.force && AskServer(mount.directory, kLongestAnswer).error == ENOTTY;
}

// Whether another process has the image locked.
bool IsInUse(int image) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  return fcntl(image, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void WaitUntilFree(const std::string& path) {
  const int image = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (image < 0) return;
  const auto begun = std::chrono::steady_clock::now();
  while (IsInUse(image) && std::chrono::steady_clock::now() - begun < kLongest) std::this_thread::sleep_for(kPeriod);
  close(image);
}

}  // namespace

bool UnmountDirectory(const std::string& directory, UnmountMode mode) {
  // Files of a FUSE mount are closed behind the back of whoever closes them, and whoever wants to mount an image asks
  // all mounts of which they are: what looks busy may be free at once.
  for (int tries = kTries;; --tries) {
    const bool is_last = tries == 1 || mode.lazily;
    if (geteuid() != 0 ? RunFusermount(directory, mode, !is_last) : umount2(directory.c_str(), FlagsOf(mode)) == 0) {
      return true;
    }
    if (is_last || (geteuid() == 0 && errno != EBUSY)) return false;
    std::this_thread::sleep_for(kPeriod);
  }
}

int UnmountMain(tools::Arguments args, tools::ToolIo& io) {
  tools::Tool tool({.name = "umount.betr",
                    .summary = "Unmount a betr image and wait until it is free.",
                    .examples = "  umount.betr /mnt && fsck.betr disk.img\n",
                    .usage_exit = kUsageExit},
                   io);
  std::string directory;
  UnmountMode mode;
  bool unused = false;
  std::string type;
  tool.app().add_option("directory", directory, "Where it is mounted")->type_name("DIR")->required();
  tool.app().add_flag("-l,--lazy", mode.lazily, "Unmount now, even if files are open");
  tool.app().add_flag("-f,--force", mode.force, "End requests of a program that hangs or was killed");
  tool.app().add_flag("-n,-r", unused, "Accepted for umount(8)");
  tool.app().add_option("-t", type, "Accepted for umount(8)")->type_name("TYPE");
  if (const std::optional<int> exit = tool.Parse(args)) return *exit;
  std::error_code error;
  // To look at a directory whose server does not answer would be to wait.
  const std::filesystem::path path =
      mode.force ? std::filesystem::absolute(directory, error) : std::filesystem::canonical(directory, error);
  if (!error) directory = path.string();
  const MountEntry mount = MountedOn(directory);
  if (IsForeign(mount, mode)) {
    tool.PrintError(fmt::format("unmount: {}: not a mount of betr, but of type {}", directory, mount.type));
    return kUnmountFailed;
  }
  const std::string image = mode.lazily ? "" : ImageOf(mount, mode);
  errno = 0;
  if (!UnmountDirectory(directory, mode)) {
    if (errno != 0) tool.PrintError(fmt::format("unmount: {}: {}", directory, std::generic_category().message(errno)));
    return kUnmountFailed;
  }
  if (!mode.lazily) WaitUntilFree(image);
  return tools::kExitOk;
}

}  // namespace betr::fuse
