// SPDX-License-Identifier: Apache-2.0
#include "remount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "ask_mount.h"
#include "base/scoped_fd.h"
#include "exit_code.h"
#include "lasting_options.h"
#include "mount_table.h"
#include "served_image.h"

namespace betr::fuse {
namespace {

constexpr int kRemountFailed = 32;  // mount(8)
constexpr std::chrono::milliseconds kRetryPeriod{20};
constexpr int kTries = 50;
constexpr std::chrono::seconds kLongestAnswer{10};  // of a server that is busy
constexpr std::string_view kFuseType = "fuse.";

int Fail(tools::Tool& tool, const std::string& directory, std::string_view why) {
  tool.PrintError(fmt::format("remount: {}: {}", directory, why));
  return kRemountFailed;
}

std::string MessageOf(int error) { return std::generic_category().message(error); }

ScopedFd OpenRoot(const std::string& directory) {
  return ScopedFd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Writes the kernel's pages to the server, and what the server has to the disk. Returns an errno value, 0 for ok.
int Sync(const std::string& directory) {
  const ScopedFd root = OpenRoot(directory);
  return root.get() >= 0 && syncfs(root.get()) == 0 && fsync(root.get()) == 0 ? 0 : errno;
}

// Returns what the server says of itself; nothing for a mount that may not be looked at.
tools::Json AskServerOf(const std::string& directory) {
  const ScopedFd root = OpenRoot(directory);
  if (root.get() < 0) return tools::Json::object();
  absl::StatusOr<tools::Json> figures = tools::AskMount(root.get(), directory);
  return figures.ok() ? *std::move(figures) : tools::Json::object();
}

LastingOptions OptionsOf(const MountInfo& mount, const tools::Json& figures) {
  LastingOptions options;
  if (mount.directory.empty()) return options;
  options["fsname"] = mount.source;
  options["subtype"] = mount.type.starts_with(kFuseType) ? mount.type.substr(kFuseType.size()) : "";
  if (const auto said = figures.find("options"); said != figures.end() && said->is_object()) {
    for (const auto& [name, value] : said->items()) {
      if (value.is_string()) options[name] = value.get<std::string>();
    }
  }
  return options;
}

// Returns a path in the form of the table of mounts, even for a mount that nobody answers for.
std::string AbsolutePath(const std::string& directory) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(directory, error);
  return error ? std::filesystem::absolute(directory, error).lexically_normal().string() : path.string();
}

// Returns why this is not a mount of ours; empty if it may be one.
std::string WhyNotOurs(const MountInfo& mount) {
  if (mount.directory.empty()) return MountInfos().empty() ? "" : "not mounted";
  return IsForeign(mount, kLongestAnswer) ? "not a mount of betr, but of type " + mount.type : "";
}

unsigned long FlagsFor(MountPlan plan, const LastingOptions& mount) {
  const auto has = mount.find(kAtimeOption);
  if (has != mount.end()) plan.access_times = has->second == "yes";
  return MountFlags(plan);
}

// An errno value, 0 for ok.
int ChangeFlags(const std::string& directory, unsigned long flags) {
  int error = EBUSY;
  // Files of a FUSE mount are closed asynchronously, after close(2). So what looks busy may be free at once.
  for (int tries = 0; tries < kTries && error == EBUSY; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(kRetryPeriod);
    error = mount(nullptr, directory.c_str(), nullptr, MS_REMOUNT | flags, nullptr) == 0 ? 0 : errno;
  }
  return error;
}

}  // namespace

int Remount(tools::Tool& tool, const MountCommand& command, const MountPlan& plan) {
  const std::string& directory = command.directory;
  const MountInfo mount = MountedOn(AbsolutePath(directory));
  if (const std::string why = WhyNotOurs(mount); !why.empty()) return Fail(tool, directory, why);
  const tools::Json figures = AskServerOf(directory);
  const LastingOptions options = OptionsOf(mount, figures);
  if (const absl::Status repeated = CheckRepeated(command, plan, options); !repeated.ok()) {
    return Fail(tool, directory, tools::MessageOf(repeated));
  }
  const bool read_only = plan.server.read_only;
  if (!read_only && figures.value("read_only", false)) {
    return Fail(tool, directory, "the image is open for reading only, or its device has failed");
  }
  if (const int error = read_only ? Sync(directory) : 0) {
    return Fail(tool, directory, "not synced: " + MessageOf(error));
  }
  if (const int error = ChangeFlags(directory, FlagsFor(plan, options))) return Fail(tool, directory, MessageOf(error));
  // Somebody may have written meanwhile.
  if (const int error = read_only ? Sync(directory) : 0) {
    return Fail(tool, directory, "read-only now, but not synced: " + MessageOf(error));
  }
  return tools::kExitOk;
}

}  // namespace betr::fuse
