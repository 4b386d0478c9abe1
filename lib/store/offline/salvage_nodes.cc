// SPDX-License-Identifier: Apache-2.0
#include "store/offline/salvage_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/checksum.h"
#include "base/status.h"
#include "dag/node_links.h"
#include "layout/extent_map.h"
#include "store/slots.h"

namespace betr::store {
namespace {

bool ReadWhole(Inspection& image, const layout::ScannedNode& scanned, std::span<char> out) {
  if (!scanned.extent.scattered) return image.device().Read(scanned.extent.Offset(), out).ok();
  const absl::StatusOr<layout::ExtentMap> map =
      layout::ReadExtentMap(image.device(), image.space().area(), scanned.extent, {scanned.id.value, scanned.version});
  return map.ok() && layout::ReadPieces(image.device(), map->pieces, out).ok();
}

auto Key(const layout::ScannedNode& node) { return std::pair(node.id, node.version); }

}  // namespace

SalvageNodes::SalvageNodes(Inspection& image)
    : image_(image), table_(image.state()->table), next_id_(image.state()->next_node) {
  table_.StartChanging();
  table_.ForEach([&](NodeId id, const dag::NodeRecord&) { next_id_ = std::max(next_id_, id.Next()); });
}

absl::Status SalvageNodes::Scan() {
  const layout::Superblock& superblock = image_.superblock();
  const uint64_t first = superblock.FirstVersion();
  const auto node = [&](const layout::ScannedNode& scanned) {
    if (scanned.version >= first && scanned.version < superblock.next_version) scanned_.push_back(scanned);
  };
  const auto catalog = [&](const layout::ScannedCatalog& scanned) {
    const bool is_newer = !catalog_ || scanned.generation > catalog_->generation;
    if (is_newer && scanned.generation <= superblock.generation) catalog_ = scanned;
  };
  const auto unreadable = [&](const layout::ExtentAddress&, const absl::Status& status) {
    passed_over_ += absl::IsResourceExhausted(status) ? 1 : 0;  // image_.ReadError() tells what the device did not give
  };
  BETR_RETURN_IF_ERROR(layout::ScanArea(image_.device(), superblock.ExtentArea(), {node, catalog, unreadable}));
  BETR_RETURN_IF_ERROR(image_.ReadError());
  std::sort(scanned_.begin(), scanned_.end(), [](const auto& a, const auto& b) { return Key(a) < Key(b); });
  return absl::OkStatus();
}

absl::StatusOr<dag::NodePtr> SalvageNodes::Load(NodeId id) {
  if (const auto known = bad_.find(id); known != bad_.end()) return known->second;
  const dag::NodeRecord* found = table_.Find(id);
  absl::StatusOr<dag::NodePtr> node = absl::DataLossError(fmt::format("node {}: not in the node table", id.value));
  if (found == nullptr && image_.IsPageLost(id)) {
    node = LoadScanned(id, 0, node.status());
  } else if (found != nullptr) {
    node = LoadRecord(id, *found);
  }
  if (!node.ok()) bad_[id] = node.status();
  return node;
}

void SalvageNodes::TakeUnlisted() {
  has_searched_ = true;
  std::vector<std::pair<uint64_t, NodeId>> unlisted;
  for (size_t i = 0; i < scanned_.size(); ++i) {
    const NodeId id = scanned_[i].id;
    const bool is_newest = i + 1 == scanned_.size() || scanned_[i + 1].id != id;
    if (is_newest && table_.Find(id) == nullptr && image_.IsPageLost(id)) {
      unlisted.emplace_back(scanned_[i].version, id);
    }
  }
  // The newest first: older ones, which were given up, may lie where newer ones were written since.
  std::sort(unlisted.begin(), unlisted.end(), std::greater<>());
  for (const auto& [version, id] : unlisted) static_cast<void>(Load(id));
}

absl::StatusOr<dag::NodePtr> SalvageNodes::LoadRecord(NodeId id, const dag::NodeRecord& record) {
  absl::StatusOr<dag::NodePtr> node = record.slot->Get();
  if (!node.ok()) {
    const auto address = AddressOf(&record);
    return address ? LoadScanned(id, address->version, node.status()) : node;
  }
  if ((*node)->height != record.height || (*node)->known_entries != record.entries) {
    dag::NodeRecord mended = record;
    mended.height = (*node)->height;
    mended.entries = (*node)->known_entries;
    table_.Set(id, std::move(mended));
  }
  return node;
}

absl::StatusOr<dag::NodePtr> SalvageNodes::LoadScanned(NodeId id, uint64_t version, const absl::Status& why) {
  has_searched_ = true;
  auto begin = std::lower_bound(scanned_.begin(), scanned_.end(), std::pair(id, version),
                                [](const auto& node, const auto& key) { return Key(node) < key; });
  auto end = begin;
  while (end != scanned_.end() && end->id == id && (version == 0 || end->version == version)) ++end;
  const dag::NodeRecord* record = table_.Find(id);
  const uint32_t references = record == nullptr ? 1 : record->references;
  // Among copies of one version, those of which more can be read come later, and are tried first.
  std::stable_sort(begin, end, [&](const auto& a, const auto& b) {
    return a.version != b.version ? a.version < b.version : ReadableBlocks(a) < ReadableBlocks(b);
  });
  for (auto candidate = end; candidate != begin;) {
    --candidate;
    absl::StatusOr<dag::NodePtr> node = Take(*candidate, references);
    if (node.ok()) {
      if (version == 0) unlisted_[id] = *candidate;
      found_.push_back(fmt::format("node {}: found in the {}", id.value, layout::ToString(candidate->extent)));
      return node;
    }
  }
  return why;
}

size_t SalvageNodes::ReadableBlocks(const layout::ScannedNode& scanned) {
  std::string bytes(scanned.extent.Size().value, '\0');
  size_t readable = 0;
  const auto look = [&](const layout::BlockEntry& entry) -> std::shared_ptr<const dag::BlockSlot> {
    const std::string_view stored = std::string_view(bytes).substr(entry.offset.value, entry.stored_size.value);
    readable += Checksum(stored) == entry.checksum ? 1 : 0;
    return std::make_shared<StoredBlockSlot>(image_.core().io, nullptr, entry);
  };
  if (ReadWhole(image_, scanned, bytes)) {
    const std::string_view header = std::string_view(bytes).substr(0, layout::UnitBytes(scanned.header_units).value);
    static_cast<void>(layout::DecodeNode(scanned.id, scanned.version, header, scanned.extent.Size(), look));
  }
  return readable;
}

absl::StatusOr<dag::NodePtr> SalvageNodes::Take(const layout::ScannedNode& scanned, uint32_t references) {
  const UsedExtent used{scanned.extent, UsedExtent::Holder::kNode, scanned.id.value};
  layout::ExtentRef space = scanned.extent.scattered ? image_.UseScattered(used, scanned.version) : image_.Use(used);
  if (space == nullptr) return absl::DataLossError("no such space");
  layout::NodeAddress address{std::move(space), scanned.header_units, scanned.version};
  auto slot = std::make_shared<NodeVersion>(image_.core().io, scanned.id, std::move(address));
  BETR_ASSIGN_OR_RETURN(dag::NodePtr node, slot->Get());
  table_.Set(scanned.id, {references, node->height, node->known_entries, std::move(slot)});
  next_id_ = std::max(next_id_, scanned.id.Next());
  return node;
}

absl::flat_hash_map<NodeId, uint32_t> SalvageNodes::CountNames(bool* are_all_read) {
  std::vector<NodeId> interior;
  table_.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (record.height > 0) interior.push_back(id);
  });
  absl::flat_hash_map<NodeId, uint32_t> names;
  *are_all_read = true;
  for (const NodeId id : interior) {
    const absl::StatusOr<dag::NodePtr> node = Load(id);
    if (!node.ok()) {
      *are_all_read = false;
      continue;
    }
    dag::ForEachLink(**node, [&](const dag::Link& link) { ++names[link.target]; });
  }
  return names;
}

uint64_t SalvageNodes::VersionOf(NodeId id) const {
  const auto address = AddressOf(table_.Find(id));
  return address ? address->version : 0;
}

const layout::ScannedNode* SalvageNodes::FoundBySearch(NodeId id) const {
  const auto found = unlisted_.find(id);
  return found == unlisted_.end() ? nullptr : &found->second;
}

NodeId SalvageNodes::Create(dag::Node node) {
  const NodeId id = next_id_;
  next_id_ = next_id_.Next();
  node.known_entries = dag::CountEntries(table_, node);
  dag::NodeRecord record{1, node.height, node.known_entries, nullptr};
  record.slot = image_.core().io->Adopt(id, std::move(node));
  table_.Set(id, std::move(record));
  return id;
}

void SalvageNodes::Replace(NodeId id, dag::Node node) {
  dag::NodeRecord record = *table_.Find(id);
  record.entries = node.known_entries = dag::CountEntries(table_, node);
  record.slot = image_.core().io->Adopt(id, std::move(node));
  table_.Set(id, std::move(record));
}

}  // namespace betr::store
