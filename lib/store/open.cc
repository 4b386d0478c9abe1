// SPDX-License-Identifier: Apache-2.0
// Makes a store, opens one, and recovers: from the last checkpoint, and what the log has after it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "device/file_device.h"
#include "layout/format_options.h"
#include "layout/open_locked.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "layout/table_codec.h"
#include "store/experiments.h"
#include "store/failed_record.h"
#include "store/format_any_size.h"
#include "store/headroom.h"
#include "store/impl.h"
#include "store/log/log_area.h"
#include "store/option_times.h"

namespace betr {
namespace {

constexpr unsigned kMostHelpers = 3;  // with more of them, the thread that writes to the device is what takes the time

Bytes CacheBudget(const StoreOptions& options) {
  if (options.cache_size.value > 0) return options.cache_size;
  const auto pages = static_cast<uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  return std::max(Bytes{pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))} / 8, MiB(16));
}

absl::Status CheckFunctions(const std::string& device, const layout::Catalog& catalog, const StoreOptions& options) {
  for (const auto& [number, name] : catalog.functions) {
    const UpsertFunction* known = options.functions.Find(number);
    if (known != nullptr && known->Name() != name) {
      return absl::FailedPreconditionError(
          fmt::format("{}: upsert function {} is \"{}\" in the image and \"{}\" in this program", device, number, name,
                      known->Name()));
    }
    if (known == nullptr && !options.read_only) {
      return absl::FailedPreconditionError(
          fmt::format("{}: the image uses upsert function {} \"{}\", which this program does not know: "
                      "it can only be opened read-only",
                      device, number, name));
    }
  }
  return absl::OkStatus();
}

// Returns the number of threads that compress besides the one that writes a node.
unsigned HelpersOf(const StoreOptions& options) {
  const bool has_threads = options.background && !options.read_only;
  return has_threads ? std::clamp(std::thread::hardware_concurrency(), 1U, kMostHelpers + 1) - 1 : 0;
}

std::unique_ptr<store::Core> MakeCore(std::unique_ptr<BlockDevice> device, StoreOptions options,
                                      layout::Superblock superblock) {
  auto core = std::make_unique<store::Core>();
  core->device = std::move(device);
  core->options = store::WithCountableTimes(store::WithExperiments(std::move(options)));
  core->policy = store::PolicyOf(core->options.experiments);
  core->shape = {
      .node_size = superblock.node_size, .basement_size = superblock.basement_size, .fanout = superblock.fanout};
  core->space = layout::SpaceMap::Create(superblock.ExtentArea());
  core->reserve = store::ReserveOf(superblock);
  core->cache = std::make_shared<store::Cache>(CacheBudget(core->options));
  core->warnings = std::make_unique<store::Warnings>(core->options.on_unreadable);
  core->io =
      std::make_shared<store::NodeIo>(*core->device, core->space, core->cache, superblock.UnusedVersion(),
                                      HelpersOf(core->options), core->warnings.get(), core->options.read_patience);
  core->superblock = std::move(superblock);
  return core;
}

absl::StatusOr<store::StatePtr> ReadState(store::Core& core, const layout::Catalog& catalog) {
  auto state = std::make_shared<store::State>();
  const auto make_slot = [&](NodeId id, layout::NodeAddress address, dag::Height) {
    return std::make_shared<store::NodeVersion>(core.io, id, std::move(address));
  };
  BETR_ASSIGN_OR_RETURN(state->table, layout::ReadTable(*core.device, *core.space, core.superblock.table, make_slot));
  NodeId first_unused = core.superblock.next_node_id;
  if (state->table.FindFrom(first_unused) != nullptr) {
    return absl::DataLossError(fmt::format("node table: node {}, but the next new one is {}", first_unused.value,
                                           core.superblock.next_node_id.value));
  }
  std::map<NodeId, uint32_t> named;
  for (const layout::CatalogTree& tree : catalog.trees) {
    if (tree.id >= core.superblock.next_tree_id) {
      return absl::DataLossError(fmt::format("catalog: tree \"{}\": its id is {}, but the next new one is {}",
                                             tree.name, tree.id.value, core.superblock.next_tree_id.value));
    }
    const dag::NodeRecord* root = state->table.Find(tree.root);
    if (root == nullptr || root->Dead() || root->height == 0) {
      return absl::DataLossError(fmt::format(
          "catalog: tree \"{}\": its root, node {}, is no interior node of the table", tree.name, tree.root.value));
    }
    if (++named[tree.root] > root->references) {
      return absl::DataLossError(fmt::format(
          "catalog: tree \"{}\": its root, node {}, is named more often than counted", tree.name, tree.root.value));
    }
    state->trees.Set({tree.id, tree.name, tree.root, tree.codec, tree.snapshot});
    store::MeasureRoot(*state, tree.id, core.FullRoot());
  }
  state->next_node = core.superblock.next_node_id;
  state->next_tree = core.superblock.next_tree_id;
  return store::StatePtr(std::move(state));
}

absl::Status CheckWritable(BlockDevice& device, const layout::NewestSuperblock& newest) {
  const absl::Status writable = newest.superblock.CheckWritable();
  return writable.ok() ? writable : Annotate(writable, device.Name());
}

}  // namespace

absl::Status store::FormatAnySize(BlockDevice& device, const FormatOptions& options, std::chrono::nanoseconds now) {
  BETR_ASSIGN_OR_RETURN(const layout::Superblock superblock, layout::NewSuperblock(options, device.Size(), now));
  BETR_RETURN_IF_ERROR(store::Log::Format(device, store::LogAreaOf(superblock), store::LogSaltOf(superblock)));
  // Clears both slots and the copy first, so that no old superblock wins over the new one.
  const std::string zeros(layout::kUnit.value, '\0');
  for (const Bytes offset :
       {layout::kSlotOffset[0], layout::kSlotOffset[1], layout::UnitBytes(superblock.CopyUnit())}) {
    BETR_RETURN_IF_ERROR(device.Write(offset, zeros));
  }
  BETR_RETURN_IF_ERROR(device.Flush());
  BETR_RETURN_IF_ERROR(layout::WriteSuperblock(device, superblock));
  BETR_RETURN_IF_ERROR(device.Flush());
  BETR_RETURN_IF_ERROR(layout::WriteCopy(device, superblock));
  return device.Flush();
}

absl::Status Store::Format(BlockDevice& device, const FormatOptions& options) {
  BETR_RETURN_IF_ERROR(layout::NewSuperblock(options, device.Size(), SystemClock().Now()).status());
  BETR_RETURN_IF_ERROR(layout::CheckRoom(options, device.Size()));
  return store::FormatAnySize(device, options);
}

absl::StatusOr<std::unique_ptr<Store::Impl>> Store::Impl::Open(std::unique_ptr<BlockDevice> device,
                                                               StoreOptions options) {
  if (options.stale && !options.read_only) {
    return absl::InvalidArgumentError(device->Name() + ": what may be stale can only be opened read-only");
  }
  BETR_ASSIGN_OR_RETURN(layout::NewestSuperblock newest, layout::ReadToOpen(*device));
  if (!options.read_only) BETR_RETURN_IF_ERROR(CheckWritable(*device, newest));
  std::unique_ptr<store::Core> core = MakeCore(std::move(device), std::move(options), std::move(newest.superblock));
  BETR_ASSIGN_OR_RETURN(layout::StoredCatalog catalog,
                        layout::ReadCatalog(*core->device, *core->space, core->superblock.catalog));
  BETR_RETURN_IF_ERROR(CheckFunctions(core->device->Name(), catalog.catalog, core->options));
  BETR_ASSIGN_OR_RETURN(store::StatePtr state, ReadState(*core, catalog.catalog));
  core->reserve_at_hand = store::ReserveAtHand(*core, *state);
  core->waiting = store::WaitingIn(*state).value;
  store::FunctionNames functions = catalog.catalog.functions;
  std::unique_ptr<Impl> impl(new Impl(std::move(core), std::move(state), std::move(catalog)));
  {
    const MutexLock lock(impl->write_mutex_);
    impl->functions_in_use_ = std::move(functions);
  }
  BETR_RETURN_IF_ERROR(impl->Recover());
  BETR_RETURN_IF_ERROR(impl->StartThreads());
  return impl;
}

Store::Impl::Impl(std::unique_ptr<store::Core> core, store::StatePtr state, layout::StoredCatalog catalog)
    : core_(std::move(core)),
      fronts_(core_->options.functions, state),
      structure_(*core_, fronts_),
      checkpointer_(*core_, std::move(state), std::move(catalog)) {}

absl::Status Store::Impl::Recover() {
  if (core_->options.stale) return absl::OkStatus();
  if (!core_->options.read_only) BETR_RETURN_IF_ERROR(checkpointer_.Confirm());
  const layout::Superblock& superblock = core_->superblock;
  const store::Log::Checkpoint from{
      {superblock.log_head, superblock.log_chain}, superblock.checkpoint_lsn, superblock.log_opening};
  const auto replay = [&](Lsn lsn, std::string_view payload) {
    const absl::Status status = Replay(lsn, payload);
    return status.ok() ? status : store::WithLogRecord(Annotate(status, fmt::format("log record {}", lsn.value)), lsn);
  };
  BETR_ASSIGN_OR_RETURN(
      log_, store::Log::Open(*core_->device, store::LogAreaOf(superblock), store::LogSaltOf(superblock), from, replay));
  log_->BeforeFirstWrite([this] { return checkpointer_.BeginWriting(); });
  return absl::OkStatus();
}

Store::Impl::~Impl() { StopThreads(); }

absl::Status Store::Impl::MayWrite() const {
  return core_->options.read_only
             ? absl::FailedPreconditionError(fmt::format("{}: opened read-only", core_->device->Name()))
             : CheckOpen();
}

absl::Status Store::Impl::CheckOpen() const {
  if (IsInherited()) {
    return absl::FailedPreconditionError(
        fmt::format("{}: the store belongs to the process that opened it, not to its child", core_->device->Name()));
  }
  return is_closed_ ? absl::FailedPreconditionError(fmt::format("{}: the store is closed", core_->device->Name()))
                    : absl::OkStatus();
}

absl::Status Store::Impl::Close() {
  const MutexLock closing(close_mutex_);
  if (has_closed_well_) return absl::OkStatus();
  {
    const MutexLock lock(write_mutex_);
    is_closed_ = true;
  }
  StopThreads();
  absl::Status ended = End();
  has_closed_well_ = ended.ok();
  return ended;
}

absl::Status Store::Impl::End() {
  if (core_->options.read_only) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(core_->health.status());
  // If this work fails at something that cannot be read, everything else must become durable all the same.
  absl::Status settled = Settle();
  if (absl::Status stored = Checkpoint(); !stored.ok()) {
    if (Logged()) {
      log_->Sync().IgnoreError();  // needs nothing that cannot be read; its error would tell nothing new
    }
    return stored;
  }
  BETR_RETURN_IF_ERROR(checkpointer_.WriteTwin(log_->opening()));
  return settled;
}

absl::StatusOr<std::unique_ptr<Store>> Store::Open(std::unique_ptr<BlockDevice> device, StoreOptions options) {
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Impl> impl, Impl::Open(std::move(device), std::move(options)));
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

namespace {

// Tries again, since a writer may make a checkpoint, or even two, while the table is read.
absl::StatusOr<std::unique_ptr<Store>> OpenStale(const std::string& path, const StoreOptions& options) {
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    BETR_ASSIGN_OR_RETURN(std::unique_ptr<FileDevice> device, FileDevice::Open(path, FileDevice::Access::kReadOnly));
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(std::move(device), options);
    if (!absl::IsDataLoss(store.status()) || attempt == kAttempts) return store;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> Store::OpenImage(const std::string& path, StoreOptions options) {
  if (options.stale) return OpenStale(path, options);
  const bool read_only = options.read_only;
  BETR_ASSIGN_OR_RETURN(
      std::unique_ptr<FileDevice> device,
      layout::OpenLocked(path, read_only ? FileDevice::Access::kReadOnly : FileDevice::Access::kReadWrite));
  // Only a device that is known to be an image gets an owner's note.
  BETR_ASSIGN_OR_RETURN(const layout::NewestSuperblock newest, layout::ReadNewest(*device));
  if (!read_only) {
    BETR_RETURN_IF_ERROR(CheckWritable(*device, newest));
    const std::string program = options.program.empty() ? "libbetr" : options.program;
    BETR_RETURN_IF_ERROR(device->PublishOwner(ThisProcess(program, SystemClock())));
  }
  return Open(std::move(device), std::move(options));
}

}  // namespace betr
