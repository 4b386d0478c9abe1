// SPDX-License-Identifier: Apache-2.0
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "layout/extent_writer.h"
#include "layout/seal.h"
#include "layout/stored_page.h"
#include "layout/table_codec.h"
#include "layout/table_page.h"

namespace betr::layout {
namespace {

class TableWriter {
 public:
  TableWriter(BlockDevice& device, SpaceMap& space, Generation generation, const AddressOfNode& address_of)
      : space_(space), generation_(generation), address_of_(address_of), out_(device) {}

  // Writes the page and all below it, as far as they are not stored.
  absl::Status Write(dag::TablePage& page, uint64_t first_id) {
    if (page.stored != nullptr) return absl::OkStatus();
    PageImage image{page.level, first_id, generation_, {}, {}};
    for (uint8_t i = 0; i < dag::TablePage::kFanout; ++i) {
      if (page.level == 0) {
        BETR_RETURN_IF_ERROR(AddNode(page.records[i], i, image));
      } else {
        BETR_RETURN_IF_ERROR(AddPage(page.children[i].get(), i, image));
      }
    }
    return Store(page, image);
  }

  // Writes what is still waiting, and marks all pages that were written as stored.
  absl::Status Finish() {
    BETR_RETURN_IF_ERROR(out_.Finish());
    for (auto& [page, stored] : written_) page->stored = std::move(stored);
    return absl::OkStatus();
  }

  uint64_t pages() const { return written_.size(); }

 private:
  absl::Status AddNode(const dag::NodeRecord& record, uint8_t index, PageImage& image) {
    if (record.slot == nullptr) return absl::OkStatus();
    const NodeId id{image.first_id + index};
    BETR_ASSIGN_OR_RETURN(const NodeAddress address, address_of_(id, record));
    if (address.extent == nullptr) {
      return absl::InternalError(fmt::format("node {}: not stored yet, so its table page cannot be", id.value));
    }
    image.nodes.push_back({index, record.height, record.references, address.extent->address(), address.header_units,
                           address.version, record.entries});
    return absl::OkStatus();
  }

  absl::Status AddPage(dag::TablePage* child, uint8_t index, PageImage& image) {
    if (child == nullptr) return absl::OkStatus();
    Check(child->level + 1 == image.level, "levels of the node table descend one by one");
    BETR_RETURN_IF_ERROR(Write(*child, FirstIdOfChild(image, index)));
    const auto found = written_.find(child);
    const StoredPage& stored = found == written_.end() ? *StoredPageOf(*child) : *found->second;
    image.pages.push_back({index, stored.Address()});
    return absl::OkStatus();
  }

  absl::Status Store(dag::TablePage& page, const PageImage& image) {
    const std::string bytes = EncodePage(image);
    BETR_ASSIGN_OR_RETURN(ExtentRef extent, space_.Allocate(1, hint_));
    hint_ = extent->address().end();
    BETR_RETURN_IF_ERROR(out_.Add(extent->address(), bytes));
    written_[&page] = std::make_shared<const StoredPage>(StoredPage{std::move(extent), SealOf(bytes)});
    return absl::OkStatus();
  }

  SpaceMap& space_;
  const Generation generation_;
  const AddressOfNode& address_of_;
  ExtentWriter out_;
  uint64_t hint_ = SpaceMap::kNoHint;
  absl::flat_hash_map<dag::TablePage*, std::shared_ptr<const StoredPage>> written_;
};

}  // namespace

absl::StatusOr<WrittenTable> WriteTable(BlockDevice& device, SpaceMap& space, Generation generation,
                                        const dag::NodeTable& table, const AddressOfNode& address_of) {
  const std::shared_ptr<dag::TablePage>& root = table.Root();
  if (root == nullptr) return WrittenTable{};
  TableWriter writer(device, space, generation, address_of);
  BETR_RETURN_IF_ERROR(writer.Write(*root, 0));
  BETR_RETURN_IF_ERROR(writer.Finish());
  return WrittenTable{{StoredAddress(*root), root->level, table.Count()}, writer.pages()};
}

StructureAddress StoredAddress(const dag::TablePage& page) {
  const StoredPage* stored = StoredPageOf(page);
  return stored == nullptr ? StructureAddress{} : stored->Address();
}

}  // namespace betr::layout
