// SPDX-License-Identifier: Apache-2.0
#include "mkfs_make.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "betr/fs_error.h"
#include "device/unseen_file.h"
#include "fs/time_coding.h"
#include "layout/format_options.h"
#include "layout/open_locked.h"
#include "layout/superblock_slots.h"
#include "open_image.h"
#include "removed_if_killed.h"
#include "store/format_any_size.h"

namespace betr::tools {
namespace {

using DevicePointer = std::unique_ptr<FileDevice>;

absl::Status Resize(const std::string& path, Bytes size) {
  std::error_code error;
  std::filesystem::resize_file(path, size.value, error);
  return error ? absl::UnavailableError(fmt::format("{}: set the size: {}", path, error.message())) : absl::OkStatus();
}

// Gives an existing file the size that it is to have, and nothing in it.
absl::StatusOr<DevicePointer> EmptyFile(const MkfsPlan& plan, DevicePointer device) {
  BETR_RETURN_IF_ERROR(device->Discard(Bytes{0}, device->Size()));
  // First cuts the end off that is no whole block, and so was not discarded.
  for (const Bytes size : {std::min(plan.size, device->Size()), plan.size}) {
    BETR_RETURN_IF_ERROR(Resize(plan.image, size));
  }
  if (plan.size == device->Size()) return device;
  device.reset();
  return layout::OpenLocked(plan.image, FileDevice::Access::kReadWrite);
}

absl::StatusOr<DevicePointer> PrepareDevice(const MkfsPlan& plan, DevicePointer target) {
  // What is there is lost only if the file can have that size.
  const bool becomes_larger = !plan.is_block_device && plan.size > target->Size();
  if (becomes_larger) BETR_RETURN_IF_ERROR(Resize(plan.image, plan.size));
  BETR_RETURN_IF_ERROR(layout::WipeSignatures(*target));
  if (!plan.is_block_device) return EmptyFile(plan, std::move(target));
  BETR_RETURN_IF_ERROR(target->Discard(Bytes{0}, target->Size()));
  return target;
}

// Nothing is logged, since nobody could want half of this. Nothing runs in the background, so that the same input
// always makes the same writes.
absl::StatusOr<StoreOptions> FillOptions(const Tool& tool) {
  BETR_ASSIGN_OR_RETURN(StoreOptions options, ImageOptions(tool, ImageAccess::kReadWrite));
  options.logging = Logging::kBulk;
  options.background = false;
  options.checkpoint_period = std::chrono::seconds(0);
  // A share of the memory of this machine would make the image depend on it.
  options.cache_size = MiB(512);
  return options;
}

RootOptions RootOf(const MkfsOptions& options, const MkfsPlan& plan) {
  const bool is_callers = !options.all_root && !plan.is_block_device && options.from_tar.empty();
  return {.uid = is_callers ? geteuid() : 0, .gid = is_callers ? getegid() : 0, .time = fs::FileTimeOf(plan.time)};
}

absl::StatusOr<std::optional<fs::CopyTotals>> Fill(const Tool& tool, const MkfsOptions& options, const MkfsPlan& plan,
                                                   FileSystem* fs) {
  if (options.from_directory.empty() && options.from_tar.empty()) return std::nullopt;
  fs::CopyOptions copy_options{
      .all_root = options.all_root, .one_file_system = options.one_file_system, .exclusions = plan.exclusions};
  if (plan.is_reproducible) copy_options.latest_time = fs::FileTimeOf(plan.time);
  Transfer transfer(tool, fs, options.image, copy_options);
  const bool is_tar = options.from_directory.empty();
  BETR_RETURN_IF_ERROR(is_tar ? transfer.ImportTar(options.from_tar, "/")
                              : transfer.ImportTrees({{options.from_directory, "/"}}));
  return transfer.counts();
}

absl::StatusOr<std::optional<fs::CopyTotals>> FormatAndFill(const Tool& tool, const MkfsOptions& options,
                                                            const MkfsPlan& plan, DevicePointer device) {
  BETR_RETURN_IF_ERROR(device->PublishOwner(ThisProcess(tool.name(), tool.io().clock)));
  BETR_RETURN_IF_ERROR(layout::CheckRoom(plan.format, device->Size()));
  BETR_RETURN_IF_ERROR(store::FormatAnySize(*device, plan.format, plan.time));
  BETR_ASSIGN_OR_RETURN(StoreOptions store_options, FillOptions(tool));
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Store::Open(std::move(device), std::move(store_options)));
  BETR_RETURN_IF_ERROR(FileSystem::Format(store.get(), RootOf(options, plan)));
  ManualClock clock(plan.time);
  MountOptions mount;
  mount.clock = &clock;
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<FileSystem> fs, FileSystem::Mount(std::move(store), mount));
  absl::StatusOr<std::optional<fs::CopyTotals>> counts = Fill(tool, options, plan, fs.get());
  // A store that has become read-only says why when it is closed.
  if (!counts.ok() && ToErrno(counts.status()) != EROFS) return counts;
  const absl::Status closed = fs->Unmount();
  if (!counts.ok()) return WithReason(counts.status(), closed);
  BETR_RETURN_IF_ERROR(closed);
  return counts;
}

// Wipes the image, since half of one must not pass for a whole one.
void Undo(const MkfsPlan& plan) {
  const absl::StatusOr<DevicePointer> device = layout::OpenLocked(plan.image, FileDevice::Access::kReadWrite);
  if (!device.ok()) return;
  // First makes room: on a full disk there is none for zeros where a sparse file has a hole.
  (*device)->Discard(Bytes{0}, (*device)->Size()).IgnoreError();
  layout::WipeSignatures(**device).IgnoreError();
  (*device)->Flush().IgnoreError();
}

absl::StatusOr<std::optional<fs::CopyTotals>> MakeInPlace(const Tool& tool, const MkfsOptions& options,
                                                          const MkfsPlan& plan, DevicePointer target) {
  BETR_ASSIGN_OR_RETURN(DevicePointer device, PrepareDevice(plan, std::move(target)));
  absl::StatusOr<std::optional<fs::CopyTotals>> counts = FormatAndFill(tool, options, plan, std::move(device));
  if (!counts.ok()) Undo(plan);
  return counts;
}

absl::StatusOr<std::optional<fs::CopyTotals>> MakeNew(const Tool& tool, const MkfsOptions& options,
                                                      const MkfsPlan& plan) {
  RemovedIfKilled removed;
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<UnseenFile> file, UnseenFile::Make(plan.image));
  removed.Arm(file->hidden_path());
  BETR_ASSIGN_OR_RETURN(DevicePointer device, FileDevice::In(*file, plan.size));
  BETR_RETURN_IF_ERROR(device->Lock(FileDevice::LockMode::kExclusive, layout::kOwnerOffset));
  BETR_ASSIGN_OR_RETURN(std::optional<fs::CopyTotals> counts, FormatAndFill(tool, options, plan, std::move(device)));
  BETR_RETURN_IF_ERROR(file->Appear());
  return counts;
}

}  // namespace

absl::StatusOr<std::optional<fs::CopyTotals>> MakeFileSystem(const Tool& tool, const MkfsOptions& options,
                                                             const MkfsPlan& plan, std::unique_ptr<FileDevice> target) {
  return plan.creates ? MakeNew(tool, options, plan) : MakeInPlace(tool, options, plan, std::move(target));
}

}  // namespace betr::tools
