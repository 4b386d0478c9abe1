// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "base/status.h"
#include "layout/extent_io.h"
#include "layout/stored_page.h"
#include "layout/table_codec.h"
#include "layout/table_page.h"

namespace betr::layout {
namespace {

class TableReader {
 public:
  TableReader(BlockDevice& device, SpaceMap& space, const MakeNodeSlot& make_slot)
      : device_(device), space_(space), make_slot_(make_slot) {}

  // Reads a page and all below it. Every page is claimed before it is read. So no page is read twice, and a cycle is an
  // error.
  absl::StatusOr<std::shared_ptr<dag::TablePage>> Read(const ExpectedPage& expected) {
    absl::StatusOr<ExtentRef> extent = space_.Claim(expected.address.extent);
    if (!extent.ok()) return Annotate(extent.status(), fmt::format("node table: page of level {}", expected.level));
    std::string bytes(kUnit.value, '\0');
    BETR_RETURN_IF_ERROR(device_.Read(expected.address.extent.Offset(), bytes));
    BETR_ASSIGN_OR_RETURN(const PageImage image, DecodePage(expected, bytes));
    auto page = std::make_shared<dag::TablePage>(image.level, uint64_t{0});
    ++pages_;
    page->used = static_cast<uint16_t>(image.nodes.size() + image.pages.size());
    for (const NodeEntry& entry : image.nodes) BETR_RETURN_IF_ERROR(AddNode(image, entry, *page));
    BETR_RETURN_IF_ERROR(ReadAhead(image));
    for (const PageEntry& entry : image.pages) {
      const ExpectedPage child{entry.page, static_cast<uint8_t>(image.level - 1), FirstIdOfChild(image, entry.index)};
      BETR_ASSIGN_OR_RETURN(page->children[entry.index], Read(child));
    }
    page->stored = std::make_shared<const StoredPage>(StoredPage{*std::move(extent), expected.address.checksum});
    return page;
  }

  uint64_t nodes() const { return nodes_; }
  uint64_t pages() const { return pages_; }

 private:
  absl::Status AddNode(const PageImage& image, const NodeEntry& entry, dag::TablePage& page) {
    const NodeId id{image.first_id + entry.index};
    absl::StatusOr<ExtentRef> extent = ClaimExtent(device_, space_, entry.extent, {id.value, entry.version});
    if (!extent.ok()) return Annotate(extent.status(), fmt::format("node table: node {}", id.value));
    NodeAddress address{*std::move(extent), entry.header_units, entry.version};
    page.records[entry.index] = {entry.references, entry.height, entry.entries,
                                 make_slot_(id, std::move(address), entry.height)};
    ++nodes_;
    return absl::OkStatus();
  }

  absl::Status ReadAhead(const PageImage& image) {
    for (const PageEntry& entry : image.pages) {
      if (space_.area().Covers(entry.page.extent)) {
        BETR_RETURN_IF_ERROR(device_.Readahead(entry.page.extent.Offset(), entry.page.extent.Size()));
      }
    }
    return absl::OkStatus();
  }

  BlockDevice& device_;
  SpaceMap& space_;
  const MakeNodeSlot& make_slot_;
  uint64_t nodes_ = 0;
  uint64_t pages_ = 0;
};

}  // namespace

absl::StatusOr<dag::NodeTable> ReadTable(BlockDevice& device, SpaceMap& space, const TableAddress& address,
                                         const MakeNodeSlot& make_slot) {
  if (address.root.extent.Nowhere()) return dag::NodeTable();
  if (address.level > dag::TablePage::kMaxLevel || address.root.extent.units != 1 || address.root.extent.scattered) {
    return absl::DataLossError(
        fmt::format("node table: a root page of level {} and {} units", address.level, address.root.extent.units));
  }
  TableReader reader(device, space, make_slot);
  BETR_ASSIGN_OR_RETURN(std::shared_ptr<dag::TablePage> root, reader.Read({address.root, address.level, 0}));
  if (reader.nodes() != address.nodes) {
    return absl::DataLossError(
        fmt::format("node table: {} nodes, the superblock says {}", reader.nodes(), address.nodes));
  }
  return dag::NodeTable::FromRoot(std::move(root), reader.nodes(), reader.pages());
}

}  // namespace betr::layout
