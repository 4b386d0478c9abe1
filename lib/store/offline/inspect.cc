// SPDX-License-Identifier: Apache-2.0
#include "store/offline/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "layout/extent_map.h"
#include "layout/superblock_copy.h"
#include "store/log/log_area.h"
#include "store/slots.h"

namespace betr::store {

std::string UsedExtent::Name() const {
  switch (holder) {
    case Holder::kNode:
      return fmt::format("node {}", id);
    case Holder::kTablePage:
      return fmt::format("table page of ids from {}", id);
    case Holder::kPiece:
      return fmt::format("piece of node {}", id);
    case Holder::kCatalog:
      break;
  }
  return id == 0 ? "catalog" : "second copy of the catalog";
}

LogArea Inspection::log_area() const { return LogAreaOf(core_.superblock); }
uint64_t Inspection::log_salt() const { return LogSaltOf(core_.superblock); }

Log::Checkpoint Inspection::log_start() const {
  return {{core_.superblock.log_head, core_.superblock.log_chain}, core_.superblock.checkpoint_lsn};
}

absl::StatusOr<std::unique_ptr<Inspection>> Inspection::Open(BlockDevice& device, Bytes cache_size) {
  std::unique_ptr<Inspection> image(new Inspection());
  auto noting = std::make_unique<NotingDevice>(device);
  image->device_ = noting.get();
  image->core_.device = std::move(noting);
  BETR_ASSIGN_OR_RETURN(layout::NewestSuperblock newest, layout::ReadNewest(image->device()));
  BETR_RETURN_IF_ERROR(image->ReadError());  // the slot that was not read may be the newer one
  image->slot_ = newest.slot;
  image->is_known_newest_ = newest.IsKnownNewest();
  image->other_slot_ = std::move(newest.other);
  image->copy_ = layout::CheckCopy(image->device(), newest.superblock);
  image->Prepare(std::move(newest.superblock), cache_size);
  image->ReadCatalog();
  image->ReadTable();
  image->FindOverlaps();
  return image;
}

void Inspection::Prepare(layout::Superblock superblock, Bytes cache_size) {
  core_.shape.node_size = superblock.node_size;
  core_.shape.basement_size = superblock.basement_size;
  core_.shape.fanout = superblock.fanout;
  core_.space = layout::SpaceMap::Create(superblock.ExtentArea());
  core_.cache = std::make_shared<Cache>(cache_size);
  // Versions that a checkpoint newer than this one may have used are not used again.
  core_.io = std::make_shared<NodeIo>(*core_.device, core_.space, core_.cache, superblock.UnusedVersion(), 0);
  core_.superblock = std::move(superblock);
}

layout::ExtentRef Inspection::Use(const UsedExtent& used) {
  if (!core_.space->area().Covers(used.extent)) {
    Damaged(Problem::Part::kSpace,
            fmt::format("{}: {} lies outside the space of the image", used.Name(), layout::ToString(used.extent)));
    return nullptr;
  }
  extents_.push_back(used);
  absl::StatusOr<layout::ExtentRef> extent = core_.space->Claim(used.extent);
  if (!extent.ok()) {
    // The space is in use; FindOverlaps says by whom. The extent gets a map of its own, to which it returns in the end.
    const layout::UnitRange area{used.extent.start, used.extent.units};
    extent = layout::SpaceMap::Create(area)->Claim(used.extent);
    for (layout::ExtentRef& rest : core_.space->ClaimRest(used.extent)) kept_.push_back(std::move(rest));
    if (used.holder == UsedExtent::Holder::kNode || used.holder == UsedExtent::Holder::kPiece) {
      overlapping_.insert(NodeId{used.id});
    }
  }
  return extent.ok() ? *std::move(extent) : nullptr;
}

layout::ExtentRef Inspection::UseScattered(const UsedExtent& used, uint64_t version) {
  const absl::StatusOr<layout::ExtentMap> map =
      layout::ReadExtentMap(*core_.device, core_.space->area(), used.extent, {used.id, version});
  if (!map.ok()) {
    problems_.push_back({Problem::Part::kSpace, Annotate(map.status(), used.Name())});
    return nullptr;
  }
  const auto use_all = [&](const std::vector<layout::ExtentAddress>& places) {
    std::vector<layout::ExtentRef> extents;
    extents.reserve(places.size());
    for (const layout::ExtentAddress& place : places) {
      extents.push_back(Use({place, UsedExtent::Holder::kPiece, used.id}));
    }
    return extents;
  };
  std::vector<layout::ExtentRef> pieces = use_all(map->pieces);
  std::vector<layout::ExtentRef> pages = use_all(map->pages);
  const auto missing = [](const layout::ExtentRef& extent) { return extent == nullptr; };
  if (std::any_of(pieces.begin(), pieces.end(), missing) || std::any_of(pages.begin(), pages.end(), missing)) {
    return nullptr;
  }
  return std::make_shared<const layout::Extent>(used.extent.units, std::move(pieces), std::move(pages));
}

void Inspection::ReadCatalog() {
  absl::StatusOr<layout::StoredCatalog> stored =
      layout::ReadCatalog(*core_.device, *core_.space, core_.superblock.catalog);
  if (!stored.ok()) {
    problems_.push_back({Problem::Part::kCatalog, stored.status()});
    return;
  }
  catalog_ = *std::move(stored);
  for (uint64_t copy = 0; copy < catalog_.extents.size(); ++copy) {
    if (catalog_.extents[copy] != nullptr) AddCatalog(*catalog_.extents[copy], copy);
  }
}

void Inspection::AddCatalog(const layout::Extent& extent, uint64_t copy) {
  if (!extent.address().scattered) extents_.push_back({extent.address(), UsedExtent::Holder::kCatalog, copy});
  for (const auto* places : {&extent.pieces(), &extent.map_pages()}) {
    for (const layout::ExtentRef& place : *places) {
      extents_.push_back({place->address(), UsedExtent::Holder::kCatalog, copy});
    }
  }
}

void Inspection::ReadTable() {
  auto state = std::make_shared<State>();
  state->next_node = core_.superblock.next_node_id;
  state->next_tree = core_.superblock.next_tree_id;
  for (const layout::CatalogTree& tree : catalog_.catalog.trees) {
    state->trees.Set({tree.id, tree.name, tree.root, tree.codec, tree.snapshot});
  }
  const layout::TableAddress& address = core_.superblock.table;
  if (address.level > dag::TablePage::kMaxLevel) {
    Damaged(Problem::Part::kTable, fmt::format("node table: a root page of level {}", address.level));
  } else if (!address.root.extent.Nowhere()) {
    state->table.StartChanging();
    ReadPage(*state, {address.root, address.level, 0});
  }
  if (problems_.empty() && state->table.Count() != address.nodes) {
    Damaged(Problem::Part::kTable,
            fmt::format("node table: {} nodes, the superblock says {}", state->table.Count(), address.nodes));
  }
  state_ = std::move(state);
}

// Ends whatever the pages say: it goes no deeper than there are levels. No page is read as two, since each page holds
// its level and its first id.
void Inspection::ReadPage(State& state, const layout::ExpectedPage& expected) {
  layout::ExtentRef space = Use({expected.address.extent, UsedExtent::Holder::kTablePage, expected.first_id});
  if (space == nullptr) {
    lost_pages_.push_back(expected);
    return;
  }
  kept_.push_back(std::move(space));
  ++table_pages_;
  std::string bytes(layout::kUnit.value, '\0');
  if (absl::Status read = core_.device->Read(expected.address.extent.Offset(), bytes); !read.ok()) {
    problems_.push_back({Problem::Part::kTable, std::move(read)});
    lost_pages_.push_back(expected);
    return;
  }
  const absl::StatusOr<layout::PageImage> page = layout::DecodePage(expected, bytes);
  if (!page.ok()) {
    problems_.push_back({Problem::Part::kTable, page.status()});
    lost_pages_.push_back(expected);
    return;
  }
  for (const layout::NodeEntry& entry : page->nodes) AddNode(state, page->first_id, entry);
  for (const layout::PageEntry& entry : page->pages) {
    ReadPage(state, {entry.page, static_cast<uint8_t>(page->level - 1), layout::FirstIdOfChild(*page, entry.index)});
  }
}

bool Inspection::IsPageLost(NodeId id) const {
  return std::any_of(lost_pages_.begin(), lost_pages_.end(), [&](const layout::ExpectedPage& page) {
    constexpr int kBitsOfId = 64;
    const int bits = dag::TablePage::kFanoutBits * (page.level + 1);
    const uint64_t ids = bits < kBitsOfId ? uint64_t{1} << bits : 0;
    return page.first_id <= id.value && id.value <= page.first_id + (ids - 1);
  });
}

void Inspection::AddNode(State& state, uint64_t first_id, const layout::NodeEntry& entry) {
  const NodeId id{first_id + entry.index};
  const UsedExtent used{entry.extent, UsedExtent::Holder::kNode, id.value};
  layout::ExtentRef space = used.extent.scattered ? UseScattered(used, entry.version) : Use(used);
  if (space == nullptr) return;
  layout::NodeAddress address{std::move(space), entry.header_units, entry.version};
  auto slot = std::make_shared<NodeVersion>(core_.io, id, std::move(address));
  state.table.Set(id, {entry.references, entry.height, entry.entries, std::move(slot)});
}

void Inspection::FindOverlaps() {
  std::sort(extents_.begin(), extents_.end(), [](const UsedExtent& a, const UsedExtent& b) {
    return a.extent.start != b.extent.start ? a.extent.start < b.extent.start : a.extent.units < b.extent.units;
  });
  const UsedExtent* last = nullptr;  // the one that reaches furthest so far
  for (const UsedExtent& used : extents_) {
    if (last != nullptr && used.extent.start < last->extent.end()) {
      Damaged(Problem::Part::kSpace,
              fmt::format("{}: its {} overlaps the {} of {}", used.Name(), layout::ToString(used.extent),
                          layout::ToString(last->extent), last->Name()));
    }
    if (last == nullptr || used.extent.end() > last->extent.end()) last = &used;
  }
}

void Inspection::Damaged(Problem::Part part, const std::string& what) {
  problems_.push_back({part, absl::DataLossError(what)});
}

}  // namespace betr::store
