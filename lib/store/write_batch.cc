// SPDX-License-Identifier: Apache-2.0
#include "betr/write_batch.h"

#include <utility>

#include "store/batch_codec.h"

namespace betr {
namespace {

Op MakeOp(OpKind kind, TreeId tree, std::string_view key) {
  Op op;
  op.kind = kind;
  op.tree = tree;
  op.key = key;
  return op;
}

}  // namespace

WriteBatch::WriteBatch(WriteBatch&& other) noexcept
    : ops_(std::exchange(other.ops_, {})),
      size_(std::exchange(other.size_, Bytes{0})),
      may_use_reserve_(std::exchange(other.may_use_reserve_, false)) {}

WriteBatch& WriteBatch::operator=(WriteBatch&& other) noexcept {
  WriteBatch taken(std::move(other));
  std::swap(ops_, taken.ops_);
  std::swap(size_, taken.size_);
  std::swap(may_use_reserve_, taken.may_use_reserve_);
  return *this;
}

void WriteBatch::Add(Op op) {
  size_ += store::EncodedSize(op);
  ops_.push_back(std::move(op));
}

BatchSize WriteBatch::Sizes() const { return store::SizeOf(ops_); }

void WriteBatch::Put(TreeId tree, std::string_view key, std::string_view value) {
  Op op = MakeOp(OpKind::kPut, tree, key);
  op.value = value;
  Add(std::move(op));
}

void WriteBatch::Erase(TreeId tree, std::string_view key) { Add(MakeOp(OpKind::kErase, tree, key)); }

void WriteBatch::Upsert(TreeId tree, std::string_view key, uint16_t function, std::string_view delta) {
  Op op = MakeOp(OpKind::kUpsert, tree, key);
  op.function = function;
  op.value = delta;
  Add(std::move(op));
}

void WriteBatch::EraseRange(TreeId tree, Range range) {
  if (range.Empty()) return;
  Op op = MakeOp(OpKind::kEraseRange, tree, {});
  op.range = std::move(range);
  Add(std::move(op));
}

void WriteBatch::ClonePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to) {
  Op op = MakeOp(OpKind::kClonePrefix, from_tree, from);
  op.to_tree = to_tree;
  op.value = to;
  Add(std::move(op));
}

void WriteBatch::RenamePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to) {
  Op op = MakeOp(OpKind::kRenamePrefix, from_tree, from);
  op.to_tree = to_tree;
  op.value = to;
  Add(std::move(op));
}

void WriteBatch::CreateTree(TreeId id, std::string_view name, std::string_view compression) {
  Op op = MakeOp(OpKind::kCreateTree, TreeId{}, name);
  op.to_tree = id;
  op.value = compression;
  Add(std::move(op));
}

void WriteBatch::Snapshot(TreeId tree, std::string_view name, TreeId id) {
  Op op = MakeOp(OpKind::kSnapshot, tree, name);
  op.to_tree = id;
  Add(std::move(op));
}

void WriteBatch::DropTree(TreeId tree) { Add(MakeOp(OpKind::kDropTree, tree, {})); }

}  // namespace betr
