// SPDX-License-Identifier: Apache-2.0
#include "store/small_copy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/status.h"
#include "dag/change/clone.h"
#include "dag/range_set.h"
#include "dag/read/estimate.h"
#include "dag/read/tree_cursor.h"
#include "store/batch_codec.h"

namespace betr::store {
namespace {

constexpr uint64_t kCopiesOfLimit = 4;  // how many times the limit may be read for a batch

// What the earlier changes of a batch say. Keeps points and erases, as long as they are not too many. Of other changes,
// keeps only where they may have changed something.
class Earlier {
 public:
  // `limit`: for the points and erases together, as encoded in a log record.
  Earlier(const UpsertRegistry& functions, Bytes limit) : functions_(functions), limit_(limit) {}

  void Add(const Op& op) {
    const Bytes size = EncodedSize(op);
    if (IsStructural(op) || size_ + size > limit_) return AddUnknown(op);
    size_ += size;
    BufferOp(op, buffers_.try_emplace(op.tree, functions_).first->second);
  }

  bool Knows(TreeId tree, const Range& range) const {
    const auto found = unknown_.find(tree);
    return found == unknown_.end() || !found->second.Overlaps(range);
  }

  // Returns the layers with what the changes so far say on top. Requires: Knows(tree, range).
  Layers On(Layers layers, TreeId tree, const Range& range) {
    const auto found = buffers_.find(tree);
    if (found != buffers_.end() && found->second.Touches(range)) layers.insert(layers.begin(), found->second.Image());
    return layers;
  }

 private:
  void AddUnknown(const Op& op) {
    switch (op.kind) {
      case OpKind::kPut:
      case OpKind::kErase:
      case OpKind::kUpsert:
        return unknown_[op.tree].Add(Range::Only(op.key));
      case OpKind::kEraseRange:
        return unknown_[op.tree].Add(op.range);
      case OpKind::kRenamePrefix:
        unknown_[op.tree].Add(Range::Prefix(op.key));
        [[fallthrough]];
      case OpKind::kClonePrefix:
        return unknown_[op.to_tree].Add(Range::Prefix(op.value));
      case OpKind::kCreateTree:
      case OpKind::kSnapshot:
        return unknown_[op.to_tree].Add(Range::All());
      case OpKind::kDropTree:
        return unknown_[op.tree].Add(Range::All());
    }
  }

  const UpsertRegistry& functions_;
  const Bytes limit_;
  std::map<TreeId, dag::MessageBuffer> buffers_;
  Bytes size_{0};  // of all that came into the buffers, as encoded in a log record
  std::map<TreeId, dag::RangeSet> unknown_;
};

Op EraseOf(TreeId tree, std::string_view prefix) {
  Op op;
  op.kind = OpKind::kEraseRange;
  op.tree = tree;
  op.range = Range::Prefix(prefix);
  return op;
}

class SmallCopy {
 public:
  SmallCopy(const View& view, Bytes limit, const UpsertRegistry& functions)
      : view_(view), limit_(limit), functions_(functions), earlier_(functions, limit * kCopiesOfLimit) {}

  absl::StatusOr<std::vector<Op>> Run(std::span<const Op> ops) {
    for (const Op& op : ops) {
      if (op.kind == OpKind::kClonePrefix || op.kind == OpKind::kRenamePrefix) {
        BETR_ASSIGN_OR_RETURN(const bool copied, Copy(op));
        if (copied) continue;
      }
      plain_.push_back(op);
    }
    return std::move(plain_);
  }

 private:
  // Whether it is known what is in `range` at this place of the batch.
  bool Known(TreeId tree, const Range& range) {
    for (; looked_at_ < plain_.size(); ++looked_at_) earlier_.Add(plain_[looked_at_]);
    return earlier_.Knows(tree, range);
  }

  // Whether a source is likely to be larger than the limit. If so, it would be read to no purpose.
  bool LooksLarge(NodeId root, const Range& range) const {
    const absl::StatusOr<RangeEstimate> estimate = dag::Estimate(view_.state->table, root, range);
    return estimate.ok() && estimate->bytes > limit_;
  }

  bool ReadEnough() const { return read_ >= limit_ * kCopiesOfLimit; }

  absl::StatusOr<bool> Copy(const Op& op) {
    const Tree* tree = view_.state->trees.Find(op.tree);
    if (tree == nullptr || ReadEnough()) return false;
    const absl::StatusOr<bool> large = dag::HoldsWholeNode(view_.state->table, tree->root, op.key);
    if (IsUnreadable(large.status())) return false;
    BETR_RETURN_IF_ERROR(large.status());
    const Range source = Range::Prefix(op.key);
    if (*large || LooksLarge(tree->root, source) || !Known(op.tree, source)) return false;
    BETR_ASSIGN_OR_RETURN(std::optional<std::vector<Op>> puts, Read(op, tree->root));
    if (!puts) return false;
    if (op.kind == OpKind::kRenamePrefix) plain_.push_back(EraseOf(op.tree, op.key));
    plain_.push_back(EraseOf(op.to_tree, op.value));
    std::move(puts->begin(), puts->end(), std::back_inserter(plain_));
    return true;
  }

  // Returns the puts that make the copy, or nothing if the change has to stay as it is.
  absl::StatusOr<std::optional<std::vector<Op>>> Read(const Op& op, NodeId root) {
    const Range range = Range::Prefix(op.key);
    dag::Source source{view_.state->table, root, earlier_.On(view_.LayersOf(op.tree), op.tree, range)};
    dag::TreeCursor cursor(std::move(source), range, functions_, nullptr);
    std::vector<Op> puts;
    Bytes size{0};
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
      Op put;
      put.tree = op.to_tree;
      put.key = op.value;
      put.key += cursor.Key().substr(op.key.size());
      put.value = cursor.Value();
      // Counts what is made, not what is read: keys may become longer.
      size += Bytes{put.key.size() + put.value.size()};
      const bool too_long = Bytes{put.key.size()} > kMaxKeySize;  // more than anyone may put
      if (too_long || size > limit_ || read_ + size > limit_ * kCopiesOfLimit) {
        read_ += size;
        return std::optional<std::vector<Op>>();
      }
      puts.push_back(std::move(put));
    }
    // The change then takes along, as they are, messages of an unknown function and what cannot be read.
    if (absl::IsFailedPrecondition(cursor.status()) || IsUnreadable(cursor.status())) {
      return std::optional<std::vector<Op>>();
    }
    BETR_RETURN_IF_ERROR(cursor.status());
    read_ += size;
    return std::optional(std::move(puts));
  }

  const View& view_;
  const Bytes limit_;
  const UpsertRegistry& functions_;
  std::vector<Op> plain_;
  size_t looked_at_ = 0;  // how many of plain_ are in earlier_
  Earlier earlier_;
  Bytes read_{0};  // keys and values of all that was tried, as copies would have them
};

}  // namespace

absl::StatusOr<std::vector<Op>> CopySmallSources(const View& view, std::span<const Op> ops, Bytes limit,
                                                 const UpsertRegistry& functions) {
  return SmallCopy(view, limit, functions).Run(ops);
}

}  // namespace betr::store
