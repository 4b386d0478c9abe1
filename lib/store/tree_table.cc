// SPDX-License-Identifier: Apache-2.0
#include "store/tree_table.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/escape.h"

namespace betr::store {

const Tree* TreeTable::FindName(std::string_view name) const {
  const TreeId* id = by_name_.Find(name);
  return id == nullptr ? nullptr : by_id_.Find(*id);
}

void TreeTable::Set(Tree tree) {
  const Tree* before = Find(tree.id);
  if (before == nullptr || before->name != tree.name) {
    if (before != nullptr) Remove(tree.id);
    by_name_.Set(tree.name, tree.id);
    name_bytes_ += Bytes{tree.name.size()};
  }
  Put(std::move(tree));
}

void TreeTable::Put(Tree tree) {
  const TreeId id = tree.id;
  const Tree* before = Find(id);
  if (before != nullptr) ForgetLargeRoot(*before);
  if (tree.large_root > 0 && !tree.snapshot) large_roots_.Set(std::pair(tree.large_root, id), {});
  by_id_.Set(id, std::move(tree));
}

void TreeTable::ForgetLargeRoot(const Tree& tree) {
  if (tree.large_root > 0) large_roots_.Remove(std::pair(tree.large_root, tree.id));
}

void TreeTable::SetLargeRoot(TreeId id, uint64_t units) {
  const Tree* before = Find(id);
  Check(before != nullptr, "a tree whose root is measured is in the table");
  if (before->large_root == units) return;
  Tree after = *before;
  after.large_root = units;
  Put(std::move(after));
}

void TreeTable::SetRoot(TreeId id, NodeId root) {
  const Tree* before = Find(id);
  Check(before != nullptr, "a tree whose root changes is in the table");
  if (before->root == root) return;
  Tree after = *before;
  after.root = root;
  by_id_.Set(id, std::move(after));
}

void TreeTable::Remove(TreeId id) {
  const Tree* tree = Find(id);
  Check(tree != nullptr, "a removed tree is in the table");
  name_bytes_ = name_bytes_ - Bytes{tree->name.size()};
  if (const TreeId* named = by_name_.Find(tree->name); named != nullptr && *named == id) by_name_.Remove(tree->name);
  ForgetLargeRoot(*tree);
  by_id_.Remove(id);
}

absl::Status SnapshotIsReadOnly(const Tree& tree) {
  return absl::InvalidArgumentError(fmt::format("tree \"{}\": a snapshot is read-only", Escape(tree.name)));
}

absl::Status NoSuchTree(TreeId id) {
  return absl::NotFoundError(fmt::format("tree {}: there is no such tree", id.value));
}

}  // namespace betr::store
