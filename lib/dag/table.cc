// SPDX-License-Identifier: Apache-2.0
#include "dag/table.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_cat.h>

#include <atomic>

#include "base/check.h"
#include "base/status.h"

namespace betr::dag {
namespace {

constexpr int kBits = TablePage::kFanoutBits;

size_t Digit(NodeId id, uint8_t level) { return (id.value >> (kBits * level)) % TablePage::kFanout; }

// Whether a root of this level reaches the id.
bool Reaches(uint8_t level, NodeId id) {
  return level >= TablePage::kMaxLevel || id.value >> (kBits * (level + 1)) == 0;
}

void Walk(const TablePage& page, uint64_t first, const std::function<void(NodeId, const NodeRecord&)>& visit) {
  for (size_t i = 0; i < TablePage::kFanout; ++i) {
    const uint64_t id = first + (uint64_t{i} << (kBits * page.level));
    if (page.level > 0) {
      if (page.children[i] != nullptr) {
        Walk(*page.children[i], id, visit);
      }
    } else if (page.records[i].slot != nullptr) {
      visit(NodeId{id}, page.records[i]);
    }
  }
}

// Finds the first record at or after id `from` in the page, and sets `from` to its id. Null if there is none. `first`
// is the page's first id.
const NodeRecord* FirstIn(const TablePage& page, uint64_t first, uint64_t& from) {
  for (size_t i = from <= first ? 0 : Digit(NodeId{from}, page.level); i < TablePage::kFanout; ++i) {
    const uint64_t id = first + (uint64_t{i} << (kBits * page.level));
    if (page.level > 0) {
      const NodeRecord* found = page.children[i] == nullptr ? nullptr : FirstIn(*page.children[i], id, from);
      if (found != nullptr) {
        return found;
      }
    } else if (page.records[i].slot != nullptr) {
      from = id;
      return &page.records[i];
    }
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<TablePage> TablePage::CopyFor(uint64_t new_owner) const {
  auto copy = std::make_shared<TablePage>(level, new_owner);
  copy->used = used;
  copy->children = children;
  copy->records = records;
  return copy;
}

void NodeTable::StartChanging() {
  static std::atomic<uint64_t> next_owner{1};
  owner_ = next_owner++;
}

const NodeRecord* NodeTable::Find(NodeId id) const {
  const TablePage* page = root_.get();
  if (page == nullptr || !Reaches(page->level, id)) return nullptr;
  while (page->level > 0) {
    page = page->children[Digit(id, page->level)].get();
    if (page == nullptr) return nullptr;
  }
  const NodeRecord& record = page->records[Digit(id, 0)];
  return record.slot == nullptr ? nullptr : &record;
}

const NodeRecord* NodeTable::FindFrom(NodeId& id) const {
  return root_ == nullptr || !Reaches(root_->level, id) ? nullptr : FirstIn(*root_, 0, id.value);
}

TablePage* NodeTable::Own(std::shared_ptr<TablePage>& page) {
  if (page->owner != owner_) page = page->CopyFor(owner_);
  return page.get();
}

void NodeTable::Set(NodeId id, NodeRecord record) {
  Check(id != kNoNode && record.slot != nullptr, "a table entry has an id and a slot");
  if (root_ == nullptr) {  // at the right level at once, so that no page is without entries
    uint8_t level = 0;
    while (!Reaches(level, id)) ++level;
    root_ = std::make_shared<TablePage>(level, owner_);
    ++pages_;
  }
  while (!Reaches(root_->level, id)) {
    auto taller = std::make_shared<TablePage>(static_cast<uint8_t>(root_->level + 1), owner_);
    taller->children[0] = std::move(root_);
    taller->used = 1;
    root_ = std::move(taller);
    ++pages_;
  }
  TablePage* page = Own(root_);
  while (page->level > 0) {
    std::shared_ptr<TablePage>& child = page->children[Digit(id, page->level)];
    if (child == nullptr) {
      child = std::make_shared<TablePage>(static_cast<uint8_t>(page->level - 1), owner_);
      ++page->used;
      ++pages_;
    }
    page = Own(child);
  }
  NodeRecord& entry = page->records[Digit(id, 0)];
  if (entry.slot == nullptr) {
    ++page->used;
    ++count_;
  }
  entry = std::move(record);
}

void NodeTable::Remove(NodeId id) {
  Check(Find(id) != nullptr, "a removed node is in the table");
  std::array<TablePage*, TablePage::kMaxLevel + 1> path{};
  TablePage* page = Own(root_);
  path[page->level] = page;
  while (page->level > 0) {
    page = Own(page->children[Digit(id, page->level)]);
    path[page->level] = page;
  }
  page->records[Digit(id, 0)] = {};
  --count_;
  for (uint8_t level = 0; --path[level]->used == 0; ++level) {
    --pages_;
    if (path[level] == root_.get()) {
      root_ = nullptr;
      return;
    }
    path[level + 1]->children[Digit(id, static_cast<uint8_t>(level + 1))] = nullptr;
  }
}

void NodeTable::ForEach(const std::function<void(NodeId, const NodeRecord&)>& visit) const {
  if (root_ != nullptr) Walk(*root_, 0, visit);
}

absl::StatusOr<NodePtr> LoadNode(const NodeTable& table, NodeId id) {
  const NodeRecord* record = table.Find(id);
  if (record == nullptr) return absl::DataLossError(absl::StrCat("node ", id.value, ": not in the node table"));
  BETR_ASSIGN_OR_RETURN(NodePtr node, record->slot->Get());
  if (node->height != record->height) {
    return absl::DataLossError(
        absl::StrCat("node ", id.value, ": height is ", node->height, ", the table says ", record->height));
  }
  return node;
}

EntryCount CountEntries(const NodeTable& table, const Node& node) {
  uint64_t entries = node.Entries();
  absl::flat_hash_set<NodeId> counted{kNoNode};
  for (const Edge& edge : node.edges) {
    if (!counted.insert(edge.link.target).second) continue;
    const NodeRecord* child = table.Find(edge.link.target);
    if (child == nullptr || !child->entries.Known()) return {};
    entries += child->entries.Value();
  }
  return EntryCount::Of(entries);
}

absl::Status CheckRoot(NodeId id, const Node& node) {
  if (node.Leaf() || node.bounds != Range::All()) {
    return absl::DataLossError(absl::StrCat("node ", id.value, ": is a tree's root, but ",
                                            node.Leaf() ? "a leaf" : "holds only " + ToString(node.bounds)));
  }
  return absl::OkStatus();
}

absl::Status CheckBelow(NodeId id, const Node& node, Height above, std::string_view key) {
  return CheckBelow(id, node, above, Range::Only(key));
}

absl::Status CheckBelow(NodeId id, const Node& node, Height above, const Range& shown) {
  if (above == kAboveRoot) return CheckRoot(id, node);
  if (node.height >= above) {
    return absl::DataLossError(
        absl::StrCat("node ", id.value, ": height is ", node.height, ", but one of height ", above, " leads to it"));
  }
  if (!node.bounds.Covers(shown)) {
    return absl::DataLossError(absl::StrCat("node ", id.value, ": bounds are ", ToString(node.bounds), ", but ",
                                            ToString(shown), " is sought there"));
  }
  return absl::OkStatus();
}

NodeTable NodeTable::FromRoot(std::shared_ptr<TablePage> root, size_t count, size_t pages) {
  NodeTable table;
  table.root_ = std::move(root);
  table.count_ = count;
  table.pages_ = pages;
  return table;
}

}  // namespace betr::dag
