// SPDX-License-Identifier: Apache-2.0
#include "store/offline/salvage_vouch.h"

#include <absl/container/flat_hash_set.h>

#include "layout/seal.h"

namespace betr::store {
namespace {

constexpr uint64_t kMaxTries = uint64_t{1} << 22;  // most checksums, of all pages together

// Makes a lost page again, of those of its nodes that were found.
layout::PageImage PageOfFound(const layout::ExpectedPage& expected, SalvageNodes& nodes) {
  layout::PageImage page{expected.level, expected.first_id, {}, {}, {}};
  for (uint8_t index = 0; index < dag::TablePage::kFanout; ++index) {
    const NodeId id{expected.first_id + index};
    const dag::NodeRecord* record = nodes.table().Find(id);
    const layout::ScannedNode* found = nodes.FoundBySearch(id);
    if (record != nullptr && found != nullptr) {
      page.nodes.push_back({index, found->height, record->references, found->extent, found->header_units,
                            found->version, found->entries});
    }
  }
  return page;
}

}  // namespace

std::vector<NodeId> FindUnvouched(const Inspection& image, SalvageNodes& nodes) {
  absl::flat_hash_set<NodeId> vouched;
  uint64_t tries = kMaxTries;
  for (const layout::ExpectedPage& expected : image.lost_pages()) {
    if (expected.level > 0) {
      continue;  // nobody knows where the pages below it lay
    }
    const layout::PageImage page = PageOfFound(expected, nodes);
    if (page.nodes.empty() || !layout::FindGeneration(layout::EncodePage(page), expected.address.checksum,
                                                      Generation{1}, image.superblock().generation, &tries)) {
      continue;
    }
    for (const layout::NodeEntry& entry : page.nodes) vouched.insert(NodeId{page.first_id + entry.index});
  }
  std::vector<NodeId> unvouched;
  nodes.table().ForEach([&](NodeId id, const dag::NodeRecord&) {
    if (nodes.FoundBySearch(id) != nullptr && !vouched.contains(id)) unvouched.push_back(id);
  });
  return unvouched;
}

}  // namespace betr::store
