// SPDX-License-Identifier: Apache-2.0
#include "mount.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "betr/store.h"
#include "daemon.h"
#include "device/device_error.h"
#include "fs/mount_image.h"
#include "killed_server.h"
#include "lasting_options.h"
#include "mount_options.h"
#include "mounted.h"
#include "open_image.h"
#include "remount.h"
#include "served_image.h"

namespace betr::fuse {
namespace {

constexpr int kMountFailed = 32;  // mount(8)
constexpr std::chrono::milliseconds kRetryPeriod{20};
constexpr std::chrono::seconds kLongestEnding{10};

LogLevel LevelOf(const tools::Tool& tool, const MountCommand& command) {
  if (command.debug || tool.verbosity() > 1) return LogLevel::kDebug;
  if (tool.quiet()) return LogLevel::kError;
  return tool.verbosity() > 0 ? LogLevel::kInfo : LogLevel::kWarning;
}

// Opens the image. One that is write-protected becomes a read-only mount, as in mount(8), even with rw, which mount(8)
// always passes. `log` must outlive what is returned. kCancelled: nobody waits for it any more.
absl::StatusOr<std::unique_ptr<FileSystem>> OpenImage(const tools::Tool& tool, const std::string& image,
                                                      const MountPlan& plan, const Log& log, const Daemon& daemon) {
  const auto access = plan.server.read_only ? tools::ImageAccess::kReadOnly : tools::ImageAccess::kReadWrite;
  absl::StatusOr<StoreOptions> options = tools::ImageOptions(tool, access);
  if (!options.ok()) return options.status();
  options->cache_size = plan.cache_size;
  options->experiments = plan.experiments;
  options->on_unreadable = [&log](const absl::Status& status) { log.Error("background work", status); };
  absl::StatusOr<std::unique_ptr<Store>> store = Store::OpenImage(image, *options);
  if (IsWriteProtected(store.status())) {
    options->read_only = true;
    store = Store::OpenImage(image, *options);
  }
  // A mount that was just ended may still be writing its checkpoint.
  const auto begun = std::chrono::steady_clock::now();
  while (IsInUse(store.status()) && daemon.IsAwaited()) {
    if (IsMounted(image, plan.name) || std::chrono::steady_clock::now() - begun > kLongestEnding) break;
    std::this_thread::sleep_for(kRetryPeriod);
    store = Store::OpenImage(image, *options);
  }
  if (!store.ok()) return store.status();
  if (!daemon.IsAwaited()) {
    const absl::Status closed = (*store)->Close();
    return closed.ok() ? absl::CancelledError("nobody waits for the mount any more") : closed;
  }
  MountOptions mount_options;
  mount_options.update_access_times = plan.access_times;
  return fs::MountImage(*std::move(store), image, mount_options);
}

}  // namespace

int MountMain(tools::Arguments args, tools::ToolIo& io) {
  tools::Tool tool(MountDescription(), io);
  MountCommand command;
  AddMountOptions(&tool, &command);
  if (const std::optional<int> exit = tool.Parse(args)) return *exit;
  absl::StatusOr<MountPlan> plan = PlanOf(command, geteuid() == 0);
  if (!plan.ok()) return tool.UsageError(std::string(plan.status().message()));
  if (plan->remount) return Remount(tool, command, *plan);
  EndKilledServer(command.image, plan->name);
  ClearDeadMount(command.directory);
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::canonical(command.directory, error);
  if (error) {
    tool.PrintError(fmt::format("mount: {}: {}", command.directory, error.message()));
    return kMountFailed;
  }
  if (!std::filesystem::is_directory(directory, error)) {
    tool.PrintError(fmt::format("mount: {}: {}", command.directory, std::generic_category().message(ENOTDIR)));
    return kMountFailed;
  }
  command.directory = directory.string();
  if (const auto image = std::filesystem::canonical(command.image, error); !error) plan->server.image = image.string();

  plan->server.options = LastingOptionsOf(*plan);
  // The table of mounts has these, and the answer does not have room for names of any length.
  for (const char* name : {"fsname", "subtype"}) plan->server.options.erase(name);

  const bool foreground = command.foreground || command.debug;
  Daemon daemon(!foreground);
  Mounted::BlockSignals();
  Log log(plan->syslog ? LogTarget::kSyslog : LogTarget::kStderr, LevelOf(tool, command));
  absl::StatusOr<std::unique_ptr<FileSystem>> fs = OpenImage(tool, command.image, *plan, log, daemon);
  if (!fs.ok()) {
    tool.PrintError("open: " + tools::MessageOf(fs.status()));
    return kMountFailed;
  }
  if ((*fs)->store().ReadOnly() && !plan->server.read_only) {
    log.Write(LogLevel::kWarning, command.image + ": write-protected, mounted read-only");
    plan->server.read_only = true;
  }
  std::optional<Mounted> mounted(std::in_place, fs->get(), &log, *plan);
  absl::Status status = mounted->Mount(command.directory, command.debug);
  const bool is_mounted = status.ok();
  if (is_mounted) {
    log.Info(fmt::format("mounted {} on {}", command.image, command.directory));
    if (!foreground && !plan->syslog) log.SetTarget(LogTarget::kSyslog);
    daemon.Ready();
    mounted->Serve();
  } else {
    log.Error("mount: " + command.directory, status);
  }
  mounted.reset();  // closes /dev/fuse, by which umount.betr sees that this is about to end
  status = (*fs)->Unmount();
  if (!status.ok()) log.Error("close", status);
  if (status.ok() && is_mounted) log.Info(fmt::format("unmounted {}", command.image));
  return status.ok() && is_mounted ? static_cast<int>(tools::kExitOk) : kMountFailed;
}

}  // namespace betr::fuse
