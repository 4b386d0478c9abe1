// SPDX-License-Identifier: Apache-2.0
#include "unmount.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

#include "mount_table.h"
#include "served_image.h"
#include "server_end.h"
#include "tool.h"

namespace betr::fuse {
namespace {

constexpr int kUsageExit = 1;       // mount(8)
constexpr int kUnmountFailed = 32;  // mount(8)
constexpr std::chrono::milliseconds kPeriod{20};
constexpr int kTries = 25;
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
  errno = 0;  // fusermount3 has said itself why not
  return done;
}

int FlagsOf(UnmountMode mode) { return (mode.lazily ? MNT_DETACH : 0) | (mode.force ? MNT_FORCE : 0); }

// Returns the server of the mount, with the image that it serves. If the server is not asked, as with `force`, or gives
// no answer, the image is the mount's source and the process is not known.
ServerEnd EndOf(const MountInfo& mount, UnmountMode mode) {
  ServerAnswer answer{ENOTTY};
  if (!mount.source.empty() && !mode.force) answer = AskServer(mount.directory, kLongestAnswer);
  if (answer.error != 0) return {mount.directory, mount.source, 0};
  return {mount.directory, answer.image, answer.process};
}

// Unmounts. Returns an errno value, 0 for ok, negative if fusermount3 has said what is wrong.
int Unmount(const std::string& directory, const MountInfo& mount, UnmountMode mode) {
  // fusermount3 would look into the same table of mounts.
  if (mount.directory.empty() && !mode.force && geteuid() != 0) return EINVAL;
  errno = 0;
  if (UnmountDirectory(directory, mode)) return 0;
  return errno == 0 ? -1 : errno;
}

std::string MessageOf(int error, const MountInfo& mount) {
  const bool is_none = error == EINVAL && mount.directory.empty();
  return is_none ? "not mounted" : std::generic_category().message(error);
}

// Returns when the image is free, or says why it stays in use.
void WaitForEnd(ServerEnd& server, tools::Tool& tool) {
  const auto begun = std::chrono::steady_clock::now();
  const std::string in_use = server.Wait();
  if (!in_use.empty()) return tool.Note(in_use);
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begun;
  if (tool.verbosity() > 0) tool.Note(fmt::format("waited {:.2f} s until the image was free", waited.count()));
}

}  // namespace

bool UnmountDirectory(const std::string& directory, UnmountMode mode) {
  // A mount that looks busy may be free at once, for two reasons. Files of a FUSE mount are closed asynchronously,
  // after close(2). And whoever wants to mount an image asks all mounts which image they are of.
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
  tool.app().get_option("--quiet")->description("Do not say why the image is still in use");
  tool.app().get_option("--verbose")->description("Say how long it took until the image was free");
  std::string type;
  tool.app().add_option("directory", directory, "Where it is mounted")->type_name("DIR")->required();
  tool.app().add_flag("-l,--lazy", mode.lazily, "Unmount now, even if files are open");
  tool.app().add_flag("-f,--force", mode.force, "End requests of a program that hangs or was killed");
  tool.app().add_flag("-n,-r", unused, "Accepted for umount(8)");
  tool.app().add_option("-t", type, "Accepted for umount(8)")->type_name("TYPE");
  if (const std::optional<int> exit = tool.Parse(args)) return *exit;
  std::error_code error;
  // Looking at a directory whose server does not answer would mean waiting.
  const std::filesystem::path path =
      mode.force ? std::filesystem::absolute(directory, error) : std::filesystem::canonical(directory, error);
  if (!error) directory = path.string();
  const MountInfo mount = MountedOn(directory);
  const bool may_be_asked = !mode.force || !mount.type.starts_with("fuse");
  if (may_be_asked && IsForeign(mount, kLongestAnswer)) {
    tool.PrintError(fmt::format("unmount: {}: not a mount of betr, but of type {}", directory, mount.type));
    return kUnmountFailed;
  }
  std::optional<ServerEnd> server;
  if (!mode.lazily) server.emplace(EndOf(mount, mode));
  if (const int failed = Unmount(directory, mount, mode)) {
    if (failed > 0) tool.PrintError(fmt::format("unmount: {}: {}", directory, MessageOf(failed, mount)));
    return kUnmountFailed;
  }
  if (server) WaitForEnd(*server, tool);
  return tools::kExitOk;
}

}  // namespace betr::fuse
