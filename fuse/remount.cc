// SPDX-License-Identifier: Apache-2.0
#include "remount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "ask_mount.h"
#include "base/scoped_fd.h"
#include "exit_code.h"

namespace betr::fuse {
namespace {

constexpr int kRemountFailed = 32;  // mount(8)
constexpr std::chrono::milliseconds kRetryPeriod{20};
constexpr int kTries = 50;

int Fail(tools::Tool& tool, const std::string& directory, std::string_view why) {
  tool.PrintError(fmt::format("remount: {}: {}", directory, why));
  return kRemountFailed;
}

std::string MessageOf(int error) { return std::generic_category().message(error); }

ScopedFd OpenRoot(const std::string& directory) {
  return ScopedFd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// The kernel's pages go to the server, and what that has to the disk. An errno value, 0 for ok.
int Sync(const std::string& directory) {
  const ScopedFd root = OpenRoot(directory);
  return root.get() >= 0 && syncfs(root.get()) == 0 && fsync(root.get()) == 0 ? 0 : errno;
}

// Whether the server says that it cannot write. A mount that is none of ours, or may not be looked at, says nothing.
bool IsServedReadOnly(const std::string& directory) {
  const ScopedFd root = OpenRoot(directory);
  if (root.get() < 0) return false;
  const absl::StatusOr<tools::Json> figures = tools::AskMount(root.get(), directory);
  return figures.ok() && figures->value("read_only", false);
}

// An errno value, 0 for ok.
int ChangeFlags(const std::string& directory, unsigned long flags) {
  int error = EBUSY;
  // Files of a FUSE mount are closed behind the back of whoever closes them: what looks busy may be free at once.
  for (int tries = 0; tries < kTries && error == EBUSY; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(kRetryPeriod);
    error = mount(nullptr, directory.c_str(), nullptr, MS_REMOUNT | flags, nullptr) == 0 ? 0 : errno;
  }
  return error;
}

}  // namespace

int Remount(tools::Tool& tool, const MountCommand& command, const MountPlan& plan) {
  const std::string& directory = command.directory;
  const bool read_only = plan.server.read_only;
  if (!read_only && IsServedReadOnly(directory)) {
    return Fail(tool, directory, "the image is open for reading only, or its device has failed");
  }
  if (const int error = read_only ? Sync(directory) : 0)
    return Fail(tool, directory, "not synced: " + MessageOf(error));
  if (const int error = ChangeFlags(directory, MountFlags(plan))) return Fail(tool, directory, MessageOf(error));
  // Somebody may have written meanwhile.
  if (const int error = read_only ? Sync(directory) : 0) {
    return Fail(tool, directory, "read-only now, but not synced: " + MessageOf(error));
  }
  return tools::kExitOk;
}

}  // namespace betr::fuse
