// SPDX-License-Identifier: Apache-2.0
#include "support/ace/ground.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/status.h"
#include "betr/path_filesystem.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"

namespace betr::ace {
namespace {

constexpr char kUuid[] = "5eed0ace-0000-4000-8000-000000000001";

// In blocks of the tiny log, which has 16: where it is replayed from, and where it ends.
constexpr uint64_t kCheckpointAt = 6;
constexpr uint64_t kLogEndsAt = 14;

}  // namespace

std::string_view NameOf(Constants constants) { return constants == Constants::kTiny ? "tiny" : "production"; }

std::optional<Constants> ConstantsOf(std::string_view name) {
  for (const Constants constants : kAllConstants) {
    if (NameOf(constants) == name) return constants;
  }
  return std::nullopt;
}

Ground::Ground(Constants constants, const Experiments& experiments) : constants_(constants), experiments_(experiments) {
  format_.uuid = kUuid;
  if (constants == Constants::kTiny) {
    format_.node_size = Bytes{512};
    format_.basement_size = Bytes{64};
    format_.fanout = 4;
    format_.log_size = KiB(64);
    format_.compression = "none";
    size_ = MiB(8);
    cache_ = KiB(16);
  } else {
    format_.log_size = MiB(1);
    size_ = GiB(1);
    cache_ = MiB(64);
  }
  // As MountOptions::write_behind says: a quarter of a batch, which is a quarter of the log.
  write_unit_ = std::max(kFileBlock, std::min(MountOptions{}.write_behind, format_.log_size / 16)).value;
}

absl::StatusOr<Ground> Ground::Make(Constants constants, const Experiments& experiments) {
  Ground ground(constants, experiments);
  BETR_RETURN_IF_ERROR(ground.Fill());
  return ground;
}

absl::Status Ground::Fill() {
  MemoryDevice device(size_);
  BETR_RETURN_IF_ERROR(Store::Format(device, format_));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Open(device));
  RootOptions root;
  root.time = kStartTime;
  BETR_RETURN_IF_ERROR(FileSystem::Format(store.get(), root));
  BETR_RETURN_IF_ERROR(store->Close());
  log_blocks_ = store->Stats().bytes_log / kBlockSize;
  pages_ = device.Pages();
  if (constants_ == Constants::kTiny) {
    BETR_RETURN_IF_ERROR(FillLog(kCheckpointAt, true));
    BETR_RETURN_IF_ERROR(FillLog(kLogEndsAt, false));
  }
  return Use();
}

// Writes to the log, and leaves nothing else, until so many of its blocks were ever written.
absl::Status Ground::FillLog(uint64_t blocks, bool closes) {
  MemoryDevice device(size_, pages_);
  ManualClock clock(std::chrono::seconds(kStartTime.seconds));
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Open(device));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<FileSystem> fs, Mount(std::move(store), clock));
  PathFileSystem paths(fs.get());
  const uint64_t before = log_blocks_;
  while (log_blocks_ < blocks) {
    BETR_RETURN_IF_ERROR(paths.Create("foo", NewFile{}).status());
    BETR_RETURN_IF_ERROR(paths.Unlink("foo"));
    BETR_RETURN_IF_ERROR(fs->Sync());
    log_blocks_ = before + fs->store().Stats().bytes_log / kBlockSize;
  }
  if (closes) BETR_RETURN_IF_ERROR(fs->Unmount());
  pages_ = device.Pages();
  return absl::OkStatus();
}

absl::Status Ground::Use() {
  MemoryDevice device(size_, pages_);
  ManualClock clock;
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Open(device));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<FileSystem> fs, Mount(std::move(store), clock));
  PathFileSystem paths(fs.get());
  BETR_RETURN_IF_ERROR(paths.MakeDirectory("A"));
  BETR_RETURN_IF_ERROR(paths.WriteFile("A/foo", std::string(kFileBlock.value, 'x')));
  BETR_RETURN_IF_ERROR(paths.Unlink("A/foo"));
  BETR_RETURN_IF_ERROR(paths.RemoveDirectory("A"));
  for (const TreeInfo& tree : fs->store().Trees()) BETR_RETURN_IF_ERROR(fs->store().Compact(tree.id));
  BETR_RETURN_IF_ERROR(fs->Unmount());
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> emptied, Open(device));
  free_ = emptied->Space().free;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Store>> Ground::Open(BlockDevice& device) const {
  StoreOptions options;
  options.cache_size = cache_;
  options.log_memory = format_.log_size / 4;  // the log is what persistence points make it
  options.checkpoint_period = std::chrono::seconds(0);
  options.background = false;
  options.experiments = experiments_;
  options.settle_time = std::chrono::hours(1);
  BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&options.functions));
  return Store::Open(std::make_unique<store::BorrowedDevice>(device), std::move(options));
}

absl::StatusOr<std::unique_ptr<FileSystem>> Ground::Mount(std::unique_ptr<Store> store, Clock& clock) {
  MountOptions options;
  options.clock = &clock;
  return FileSystem::Mount(std::move(store), options);
}

}  // namespace betr::ace
