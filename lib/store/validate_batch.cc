// SPDX-License-Identifier: Apache-2.0
#include <absl/strings/str_format.h>

#include "base/status.h"
#include "store/batch_codec.h"

namespace betr::store {
namespace {

absl::Status Invalid(const std::string& why) { return absl::InvalidArgumentError(why); }

absl::Status CheckLength(std::string_view what, std::string_view bytes, Bytes max) {
  if (bytes.size() <= max.value) return absl::OkStatus();
  return Invalid(absl::StrFormat("the %s has %u bytes, at most %u are allowed", what, bytes.size(), max.value));
}

absl::Status CheckTree(std::string_view what, TreeId tree) {
  return tree == TreeId{} ? Invalid(absl::StrFormat("the %s is 0, which names none", what)) : absl::OkStatus();
}

absl::Status ValidatePut(const Op& op) {
  BETR_RETURN_IF_ERROR(CheckLength("key", op.key, kMaxKeySize));
  return CheckLength("value", op.value, kMaxValueSize);
}

absl::Status ValidateUpsert(const Op& op) {
  if (op.function == 0) return Invalid("the function is 0, which names none");
  BETR_RETURN_IF_ERROR(CheckLength("key", op.key, kMaxKeySize));
  return CheckLength("delta", op.value, kMaxValueSize);
}

absl::Status ValidateRange(const Op& op) {
  BETR_RETURN_IF_ERROR(CheckLength("lower bound", op.range.lo.bytes, kMaxRangeBoundSize));
  BETR_RETURN_IF_ERROR(CheckLength("upper bound", op.range.hi.bytes, kMaxRangeBoundSize));
  return op.range.Empty() ? Invalid("the range is empty") : absl::OkStatus();
}

absl::Status ValidatePrefixes(const Op& op) {
  BETR_RETURN_IF_ERROR(CheckTree("destination tree", op.to_tree));
  BETR_RETURN_IF_ERROR(CheckLength("source prefix", op.key, kMaxKeySize));
  BETR_RETURN_IF_ERROR(CheckLength("destination prefix", op.value, kMaxKeySize));
  if (op.kind == OpKind::kRenamePrefix && op.tree == op.to_tree && op.value.starts_with(op.key)) {
    return Invalid("the destination of the rename is its source or lies below it");
  }
  return absl::OkStatus();
}

absl::Status ValidateName(const Op& op) {
  BETR_RETURN_IF_ERROR(CheckTree("new tree", op.to_tree));
  if (op.key.empty()) return Invalid("the name of the tree is empty");
  return CheckLength("name of the tree", op.key, kMaxTreeNameSize);
}

absl::Status ValidateCreateTree(const Op& op) {
  if (op.tree != TreeId{}) return Invalid("a new tree has no tree that it comes from");
  BETR_RETURN_IF_ERROR(ValidateName(op));
  return CheckLength("name of the compression", op.value, kMaxCompressionNameSize);
}

absl::Status ValidateOp(const Op& op) {
  if (op.kind != OpKind::kCreateTree) BETR_RETURN_IF_ERROR(CheckTree("tree", op.tree));
  switch (op.kind) {
    case OpKind::kPut:
      return ValidatePut(op);
    case OpKind::kErase:
      return CheckLength("key", op.key, kMaxKeySize);
    case OpKind::kUpsert:
      return ValidateUpsert(op);
    case OpKind::kEraseRange:
      return ValidateRange(op);
    case OpKind::kClonePrefix:
    case OpKind::kRenamePrefix:
      return ValidatePrefixes(op);
    case OpKind::kCreateTree:
      return ValidateCreateTree(op);
    case OpKind::kSnapshot:
      return ValidateName(op);
    case OpKind::kDropTree:
      return absl::OkStatus();
  }
  return Invalid(absl::StrFormat("%u is no kind of change", static_cast<unsigned>(op.kind)));
}

}  // namespace

std::string_view OpKindName(OpKind kind) {
  switch (kind) {
    case OpKind::kPut:
      return "put";
    case OpKind::kErase:
      return "erase";
    case OpKind::kUpsert:
      return "upsert";
    case OpKind::kEraseRange:
      return "erase_range";
    case OpKind::kClonePrefix:
      return "clone_prefix";
    case OpKind::kRenamePrefix:
      return "rename_prefix";
    case OpKind::kCreateTree:
      return "create_tree";
    case OpKind::kSnapshot:
      return "snapshot";
    case OpKind::kDropTree:
      return "drop_tree";
  }
  return "unknown";
}

absl::Status ValidateOps(std::span<const Op> ops) {
  if (ops.size() > kMaxBatchOps) {
    return Invalid(absl::StrFormat("the batch has %u changes, at most %u are allowed", ops.size(), kMaxBatchOps));
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    const absl::Status status = ValidateOp(ops[i]);
    if (!status.ok()) return Annotate(status, absl::StrFormat("change %u (%s)", i, OpKindName(ops[i].kind)));
  }
  return absl::OkStatus();
}

absl::Status CheckSize(const BatchSize& size, const BatchSize& most) {
  if (size.bytes > most.bytes) {
    return Invalid(absl::StrFormat("batch of %u bytes: at most %u are allowed%s", size.bytes.value, most.bytes.value,
                                   most.bytes < kMaxBatch.bytes ? ", a quarter of the log" : ""));
  }
  if (size.changes > most.changes) {
    return Invalid(absl::StrFormat("the batch has %u changes, at most %u are allowed", size.changes, most.changes));
  }
  if (size.ranges > most.ranges) {
    return Invalid(absl::StrFormat("the batch has %u changes of ranges and prefixes, at most %u are allowed",
                                   size.ranges, most.ranges));
  }
  if (size.bounds > most.bounds) {
    return Invalid(absl::StrFormat("the bounds and prefixes in the batch have %u bytes, at most %u are allowed",
                                   size.bounds.value, most.bounds.value));
  }
  return absl::OkStatus();
}

}  // namespace betr::store
