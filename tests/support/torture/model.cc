// SPDX-License-Identifier: Apache-2.0
#include "support/torture/model.h"

#include <utility>

#include "base/check.h"
#include "base/checksum.h"

namespace betr::test {

uint64_t EntryDigest(std::string_view key, std::string_view value) { return SeededChecksum(Checksum(key), value); }

uint64_t TreeDigest(TreeId id, std::string_view name, bool snapshot, uint64_t entries) {
  return SeededChecksum(entries * 2 + (snapshot ? 1 : 0), name) + id.value * 0x9E3779B97F4A7C15;
}

uint64_t Model::Digest() const {
  uint64_t digest = next_tree_.value;
  for (const auto& [id, tree] : trees_) digest += TreeDigest(id, tree.name, tree.snapshot, tree.entries);
  return digest;
}

void Model::Set(TreeId id, Contents contents) {
  Tree& tree = trees_.at(id);
  tree.entries = 0;
  for (const auto& [key, value] : contents) tree.entries += EntryDigest(key, value);
  tree.contents = std::make_shared<const Contents>(std::move(contents));
}

void Model::Add(Op& op, std::shared_ptr<const Contents> contents, uint64_t entries, bool snapshot) {
  op.to_tree = next_tree_;
  next_tree_ = next_tree_.Next();
  trees_[op.to_tree] = {op.key, snapshot, std::move(contents), entries};
}

void Model::CloneOrRename(const Op& op) {
  Contents copied;
  const Contents& from = *trees_.at(op.tree).contents;
  for (auto at = from.lower_bound(op.key); at != from.end() && at->first.starts_with(op.key); ++at) {
    copied.emplace_hint(copied.end(), op.value + at->first.substr(op.key.size()), at->second);
  }
  if (op.kind == OpKind::kRenamePrefix) {
    Contents rest = from;
    std::erase_if(rest, [&](const auto& entry) { return entry.first.starts_with(op.key); });
    Set(op.tree, std::move(rest));
  }
  Contents to = *trees_.at(op.to_tree).contents;
  std::erase_if(to, [&](const auto& entry) { return entry.first.starts_with(op.value); });
  to.merge(copied);
  Set(op.to_tree, std::move(to));
}

void Model::Apply(Op& op) {
  switch (op.kind) {
    case OpKind::kCreateTree:
      return Add(op, std::make_shared<const Contents>(), 0, false);
    case OpKind::kSnapshot: {
      const Tree source = trees_.at(op.tree);
      return Add(op, source.contents, source.entries, true);
    }
    case OpKind::kDropTree:
      Check(trees_.erase(op.tree) == 1, "a tree that is dropped exists");
      return;
    case OpKind::kClonePrefix:
    case OpKind::kRenamePrefix:
      return CloneOrRename(op);
    default:
      break;
  }
  Contents contents = *trees_.at(op.tree).contents;
  if (op.kind == OpKind::kPut) {
    contents[op.key] = op.value;
  } else if (op.kind == OpKind::kUpsert) {
    contents[op.key] += op.value;
  } else if (op.kind == OpKind::kErase) {
    contents.erase(op.key);
  } else {
    std::erase_if(contents, [&](const auto& entry) { return op.range.Contains(entry.first); });
  }
  Set(op.tree, std::move(contents));
}

}  // namespace betr::test
