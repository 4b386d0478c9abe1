// SPDX-License-Identifier: Apache-2.0
#include "store/key_order.h"

#include <absl/container/flat_hash_set.h>

#include "base/check.h"

namespace betr::store {
namespace {

using Found = std::vector<std::shared_ptr<const NodeVersion>>;

std::shared_ptr<const NodeVersion> VersionOf(const dag::NodeRecord& record) {
  auto version = std::dynamic_pointer_cast<const NodeVersion>(record.slot);
  Check(version != nullptr, "every node of a store is a NodeVersion");
  return version;
}

class KeyOrder {
 public:
  explicit KeyOrder(const State& state) : state_(state) {}

  Found Run() {
    for (const auto& [id, tree] : state_.trees) Visit(tree.root, dag::kAboveRoot);
    if (const auto& root = state_.table.Root()) VisitPage(*root, 0);
    return std::move(found_);
  }

 private:
  // Heights fall on the way down, whatever nodes that contradict the table say: so the stack has an end.
  void Visit(NodeId id, dag::Height above) {
    const dag::NodeRecord* record = state_.table.Find(id);
    if (record == nullptr || record->height >= above || !seen_.insert(id).second) return;
    const dag::NodePtr node = record->slot->Peek();
    if (node == nullptr) return;
    for (const dag::Edge& edge : node->edges) {
      if (!edge.link.Null()) Visit(edge.link.target, record->height);
    }
    Add(VersionOf(*record));
  }

  // A page that is stored has no dirty nodes.
  void VisitPage(const dag::TablePage& page, uint64_t first) {
    if (page.stored != nullptr) return;
    for (size_t i = 0; i < dag::TablePage::kFanout; ++i) {
      const uint64_t id = first + (uint64_t{i} << (dag::TablePage::kFanoutBits * page.level));
      if (page.level > 0 && page.children[i] != nullptr) {
        VisitPage(*page.children[i], id);
      } else if (page.level == 0 && page.records[i].slot != nullptr && seen_.insert(NodeId{id}).second) {
        Add(VersionOf(page.records[i]));
      }
    }
  }

  void Add(std::shared_ptr<const NodeVersion> version) {
    if (version->Dirty()) found_.push_back(std::move(version));
  }

  const State& state_;
  absl::flat_hash_set<NodeId> seen_;
  Found found_;
};

}  // namespace

std::vector<std::shared_ptr<const NodeVersion>> DirtyInKeyOrder(const State& state) { return KeyOrder(state).Run(); }

}  // namespace betr::store
