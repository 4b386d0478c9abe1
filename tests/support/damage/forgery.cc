// SPDX-License-Identifier: Apache-2.0
#include "support/damage/forgery.h"

#include <catch2/catch.hpp>
#include <utility>

#include "base/status.h"
#include "dag/node_links.h"
#include "layout/node_codec.h"
#include "layout/seal.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "store/offline/inspect.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr uint64_t kPageFanout = dag::TablePage::kFanout;
constexpr uint64_t kVersions = 100'000;  // so many nodes can be forged

// The same node, with blocks that know their bytes.
dag::Node WithForgedSlots(dag::Node node) {
  std::map<const dag::BlockSlot*, std::shared_ptr<const dag::BlockSlot>> forged;
  const auto forge = [&](dag::BlockView& view) {
    auto& slot = forged[view.slot.get()];
    if (slot == nullptr) {
      slot = std::make_shared<ForgedSlot>(layout::MakeStoredBlock(node.codec, *Must(view.slot->Get())));
    }
    view.slot = slot;
  };
  for (dag::Edge& edge : node.edges) {
    for (dag::BlockView& run : edge.partition.runs) forge(run);
  }
  for (dag::BlockView& basement : node.basements) forge(basement);
  return node;
}

absl::Status Put(MemoryDevice& device, const std::string& bytes, uint64_t* next) {
  BETR_RETURN_IF_ERROR(device.Patch(layout::UnitBytes(*next), bytes));
  *next += layout::UnitsFor(Bytes{bytes.size()});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const dag::Block>> ForgedSlot::Get() const {
  return layout::DecodeBlock({Bytes{0}, Bytes{stored.bytes.size()}, stored.raw_size, stored.compression,
                              stored.checksum, stored.count, stored.erases},
                             stored.bytes);
}

Forgery::Forgery(MemoryDevice& device) {
  const auto image = Must(store::Inspection::Open(device, MiB(4)));
  superblock = image->superblock();
  first_version_ = superblock.next_version;
  superblock.next_version += kVersions;
  catalog = image->catalog().catalog;
  image->state()->table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    nodes[id.value] = {WithForgedSlots(*Must(record.slot->Get())), record.references, record.height};
  });
}

void Forgery::CountReferences() {
  for (auto& [id, forged] : nodes) forged.references = 0;
  const auto count = [&](NodeId id) {
    if (const auto found = nodes.find(id.value); found != nodes.end()) ++found->second.references;
  };
  for (const layout::CatalogTree& tree : catalog.trees) count(tree.root);
  for (const auto& [id, forged] : nodes) {
    dag::ForEachLink(forged.node, [&](const dag::Link& link) { count(link.target); });
  }
}

absl::Status Forgery::Write(MemoryDevice& device) const {
  layout::Superblock block = superblock;
  uint64_t next = block.log.end();
  std::vector<layout::PageImage> pages;
  BETR_RETURN_IF_ERROR(WriteNodes(device, &next, &pages));
  BETR_RETURN_IF_ERROR(WriteTable(device, &next, std::move(pages), &block));
  BETR_RETURN_IF_ERROR(WriteCatalogs(device, &next, &block));
  if (next > block.CopyUnit()) return absl::ResourceExhaustedError("too much for the image");
  BETR_RETURN_IF_ERROR(layout::CheckSuperblock(block));
  return layout::WriteEverywhere(device, block);
}

void Forgery::Reseal(std::string& bytes) const {
  if (change_bytes == nullptr) return;
  change_bytes(bytes);
  layout::Seal(&bytes);
}

absl::Status Forgery::WriteNodes(MemoryDevice& device, uint64_t* next, std::vector<layout::PageImage>* pages) const {
  const auto fetch = [](const layout::BlockUse& use) -> absl::StatusOr<layout::StoredBlock> {
    return dynamic_cast<const ForgedSlot*>(use.slot)->stored;
  };
  uint64_t version = first_version_;
  for (const auto& [id, forged] : nodes) {
    BETR_ASSIGN_OR_RETURN(layout::NodeImage image, layout::EncodeNode(NodeId{id}, version, forged.node, fetch));
    std::string header = image.bytes.substr(0, layout::UnitBytes(image.header_units).value);
    Reseal(header);
    image.bytes.replace(0, header.size(), header);
    layout::NodeEntry entry;
    entry.index = static_cast<uint8_t>(id % kPageFanout);
    entry.height = forged.height;
    entry.references = forged.references;
    entry.extent = {*next, image.Units(), false};
    entry.header_units = image.header_units;
    entry.version = version++;
    entry.entries = forged.node.known_entries;
    if (*next + image.Units() > superblock.CopyUnit()) return absl::ResourceExhaustedError("too many nodes");
    BETR_RETURN_IF_ERROR(Put(device, image.bytes, next));
    if (change_entry != nullptr) change_entry(entry);
    if (pages->empty() || pages->back().first_id != id - id % kPageFanout) {
      pages->push_back({0, id - id % kPageFanout, superblock.generation, {}, {}});
    }
    pages->back().nodes.push_back(entry);
  }
  return absl::OkStatus();
}

absl::Status Forgery::WriteTable(MemoryDevice& device, uint64_t* next, std::vector<layout::PageImage> pages,
                                 layout::Superblock* block) const {
  block->table = {};
  block->table.nodes = nodes.size();
  for (uint8_t level = 0;; ++level) {
    std::map<uint64_t, layout::PageImage> above;
    const uint64_t span = uint64_t{1} << (dag::TablePage::kFanoutBits * (level + 1));
    for (const layout::PageImage& page : pages) {
      std::string bytes = layout::EncodePage(page);
      Reseal(bytes);
      block->table.root = {{*next, 1, false}, layout::SealOf(bytes)};
      block->table.level = level;
      BETR_RETURN_IF_ERROR(Put(device, bytes, next));
      const uint64_t first = page.first_id - page.first_id % (span * kPageFanout);
      layout::PageImage& parent = above[first];
      parent.level = level + 1;
      parent.first_id = first;
      parent.generation = superblock.generation;
      parent.pages.push_back({static_cast<uint8_t>((page.first_id - first) / span), block->table.root});
    }
    if (pages.size() == 1 && pages[0].first_id == 0) return absl::OkStatus();
    pages.clear();
    for (auto& [first, page] : above) pages.push_back(std::move(page));
  }
}

absl::Status Forgery::WriteCatalogs(MemoryDevice& device, uint64_t* next, layout::Superblock* block) const {
  BETR_RETURN_IF_ERROR(layout::CheckCatalog(catalog));
  std::string bytes = layout::EncodeCatalog(catalog, superblock.generation);
  Reseal(bytes);
  block->catalog.checksum = layout::SealOf(bytes);
  for (layout::ExtentAddress& copy : block->catalog.copies) {
    copy = {*next, static_cast<uint32_t>(layout::UnitsFor(Bytes{bytes.size()})), false};
    BETR_RETURN_IF_ERROR(Put(device, bytes, next));
  }
  return absl::OkStatus();
}

}  // namespace betr::test
