// SPDX-License-Identifier: Apache-2.0
#include "store/checkpoint.h"

#include <absl/cleanup/cleanup.h>
#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "layout/table_codec.h"
#include "store/key_order.h"

namespace betr::store {
namespace {

// Returns the catalog of a state.
layout::Catalog CatalogOf(const State& state, FunctionNames functions) {
  layout::Catalog catalog;
  for (const auto& [id, tree] : state.trees) {
    catalog.trees.push_back({id, tree.name, tree.root, tree.codec, tree.snapshot});
  }
  catalog.functions = std::move(functions);
  return catalog;
}

}  // namespace

Checkpointer::Checkpointer(Core& core, StatePtr stable, layout::StoredCatalog catalog)
    : core_(core),
      stable_(std::move(stable)),
      superblock_(core.superblock),
      catalog_(catalog),
      stable_catalog_(std::move(catalog)) {}

StatePtr Checkpointer::stable() const {
  const MutexLock lock(mutex_);
  return stable_;
}

absl::Status Checkpointer::WriteNodes(const State& state) {
  const auto dirty = DirtyInKeyOrder(state);
  nodes_written_ = 0;
  nodes_to_write_ = dirty.size();
  const absl::Cleanup ended = [&] { nodes_to_write_ = 0; };
  uint64_t hint = layout::SpaceMap::kNoHint;
  for (const std::shared_ptr<const NodeVersion>& version : dirty) {
    BETR_ASSIGN_OR_RETURN(const Bytes bytes, version->Store(hint));
    core_.counters.bytes_checkpoint += bytes.value;
    ++nodes_written_;
  }
  return absl::OkStatus();
}

std::optional<double> Checkpointer::Progress() const {
  const size_t all = nodes_to_write_;
  return all == 0 ? std::nullopt : std::optional(static_cast<double>(nodes_written_) / static_cast<double>(all));
}

absl::StatusOr<layout::WrittenTable> Checkpointer::WriteTable(const State& state, Generation generation) {
  const auto address_of = [](NodeId id, const dag::NodeRecord& record) -> absl::StatusOr<layout::NodeAddress> {
    const auto* version = dynamic_cast<const NodeVersion*>(record.slot.get());
    Check(version != nullptr, "every node of a store is a NodeVersion");
    std::optional<layout::NodeAddress> address = version->Address();
    if (!address) return absl::InternalError(fmt::format("node {}: not written before the table", id.value));
    return *std::move(address);
  };
  BETR_ASSIGN_OR_RETURN(layout::WrittenTable written,
                        layout::WriteTable(*core_.device, *core_.space, generation, state.table, address_of));
  core_.counters.bytes_checkpoint += layout::UnitBytes(written.pages).value;
  return written;
}

absl::Status Checkpointer::WriteCatalog(const Begin& begin, Generation generation) {
  layout::Catalog catalog = CatalogOf(*begin.state, begin.functions);
  // Keeps the functions that were in use before, since messages of them may be left.
  catalog.functions.insert(catalog_.catalog.functions.begin(), catalog_.catalog.functions.end());
  if (catalog == catalog_.catalog && catalog_.Sound()) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(catalog_, layout::WriteCatalog(*core_.device, *core_.space, generation, std::move(catalog)));
  for (const layout::ExtentAddress& copy : catalog_.address.copies) {
    core_.counters.bytes_checkpoint += copy.Size().value;
  }
  return absl::OkStatus();
}

absl::Status Checkpointer::Confirm() {
  const MutexLock writing(writing_);
  return core_.superblock.log_opening > 0 ? absl::OkStatus() : ConfirmNow();
}

absl::Status Checkpointer::ConfirmNow() {
  if (is_confirmed_) return absl::OkStatus();
  // After a failed flush the kernel may show the page as clean. So it is written again, and not only flushed.
  BETR_RETURN_IF_ERROR(layout::WriteSuperblock(*core_.device, core_.superblock));
  BETR_RETURN_IF_ERROR(core_.device->Flush());
  is_confirmed_ = true;
  return absl::OkStatus();
}

layout::Superblock Checkpointer::Next() const {
  const MutexLock lock(mutex_);
  layout::Superblock next = superblock_;
  next.features.incompatible |= layout::kCounted;
  next.generation = next.generation.Next();
  return next;
}

absl::Status Checkpointer::WriteFlushed(const layout::Superblock& next) {
  BETR_RETURN_IF_ERROR(layout::WriteSuperblock(*core_.device, next));
  BETR_RETURN_IF_ERROR(core_.device->Flush());
  return layout::WriteCopy(*core_.device, next);
}

absl::Status Checkpointer::Flip(layout::Superblock next, const StatePtr& state) {
  // The next superblock overwrites the slot with the state before. So the one that was found must be durable by now.
  BETR_RETURN_IF_ERROR(ConfirmNow());
  // If another thread's flush has failed, a flush here says nothing about what was written before that one.
  BETR_RETURN_IF_ERROR(core_.health.status());
  if (absl::Status written = WriteFlushed(next); !written.ok()) {
    doubtful_ = state;
    core_.health.Fail(written);
    return written;
  }
  core_.counters.bytes_checkpoint += layout::UnitBytes(2).value;
  has_written_ = true;
  const MutexLock lock(mutex_);
  superblock_ = std::move(next);
  return absl::OkStatus();
}

absl::StatusOr<bool> Checkpointer::Write(const Begin& begin) {
  const MutexLock writing(writing_);
  BETR_RETURN_IF_ERROR(core_.health.status());
  layout::Superblock next = Next();
  // The position in the log has to be the same too, since the caller frees what lies before it.
  const bool is_stable = begin.state == stable() && begin.lsn == next.checkpoint_lsn &&
                         begin.log.sequence == next.log_head && begin.log.chain == next.log_chain;
  if (is_stable || begin.order < newest_) return false;
  BETR_RETURN_IF_ERROR(BeginWritingNow());
  next = Next();
  BETR_RETURN_IF_ERROR(WriteNodes(*begin.state));
  BETR_ASSIGN_OR_RETURN(const layout::WrittenTable table, WriteTable(*begin.state, next.generation));
  BETR_RETURN_IF_ERROR(WriteCatalog(begin, next.generation));
  BETR_RETURN_IF_ERROR(core_.device->Flush());
  next.table = table.address;
  next.catalog = catalog_.address;
  next.checkpoint_lsn = begin.lsn;
  next.log_head = begin.log.sequence;
  next.log_chain = begin.log.chain;
  next.log_opening = 0;
  next.next_node_id = begin.state->next_node;
  next.next_tree_id = begin.state->next_tree;
  next.next_version = core_.io->next_version();
  BETR_RETURN_IF_ERROR(Flip(std::move(next), begin.state));
  ++core_.counters.checkpoints;
  stable_catalog_ = catalog_;
  newest_ = begin.order;
  StatePtr old = begin.state;
  const MutexLock lock(mutex_);
  std::swap(stable_, old);
  return true;
}

absl::Status Checkpointer::WriteTwin(uint64_t log_opening) {
  const MutexLock writing(writing_);
  if (!has_written_ && core_.superblock.log_opening > 0) return absl::OkStatus();
  layout::Superblock next = Next();
  next.log_opening = log_opening;
  BETR_RETURN_IF_ERROR(Flip(std::move(next), stable()));
  return core_.device->Flush();
}

absl::Status Checkpointer::BeginWriting() {
  if (has_begun_) return absl::OkStatus();
  const MutexLock writing(writing_);
  return BeginWritingNow();
}

absl::Status Checkpointer::BeginWritingNow() {
  if (has_begun_) return absl::OkStatus();
  layout::Superblock next = Next();
  next.log_opening = 0;
  next.session_version = core_.io->next_version();
  BETR_RETURN_IF_ERROR(Flip(std::move(next), stable()));
  has_begun_ = true;
  return absl::OkStatus();
}

}  // namespace betr::store
