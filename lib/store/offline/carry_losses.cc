// SPDX-License-Identifier: Apache-2.0
#include "store/offline/carry_losses.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "store/batch_codec.h"
#include "store/offline/lost_keys.h"

namespace betr::store {
namespace {

// Returns where keys of the range are once the prefix `from` was replaced by `to`.
Range Moved(const Range& range, std::string_view from, std::string_view to) {
  return range.Strip(from.size()).Prepend(to);
}

class Carrier {
 public:
  Carrier(const State& state, size_t limit) : limit_(limit) {
    for (const auto& [id, tree] : state.trees) {
      names_[id] = tree.name;
      ids_[tree.name] = id;
    }
  }

  // Takes a loss of the checkpoint. Returns whether its tree is known. Called before anything is replayed.
  bool Take(const LostRange& lost) {
    const auto found = ids_.find(lost.tree);
    if (found == ids_.end()) return false;
    Change(found->second, KindOf(lost), [&](LostKeys& keys) {
      LostRange piece = lost;
      piece.but_written = lost.but_written && keys.In(lost.range).empty();
      keys.Set(std::move(piece));
    });
    return true;
  }

  void Replay(const Op& op) {
    switch (op.kind) {
      case OpKind::kPut:
      case OpKind::kErase:
        return Write(op.tree, op.key);
      case OpKind::kUpsert:
        return;
      case OpKind::kEraseRange:
        return Remove(op.tree, op.range);
      case OpKind::kClonePrefix:
      case OpKind::kRenamePrefix:
        return Move(op);
      case OpKind::kCreateTree:
        names_[op.to_tree] = op.key;
        return;
      case OpKind::kSnapshot:
        names_[op.to_tree] = op.key;
        return Show(Copy(op.tree, Range::All()), op.to_tree);
      case OpKind::kDropTree:
        Remove(op.tree, Range::All());
        names_.erase(op.tree);
        return;
    }
  }

  void Give(std::vector<LostRange>* lost) const {
    for (const auto& [id, kinds] : trees_) {
      for (const LostKeys& keys : kinds) {
        for (LostRange& piece : keys.In(Range::All())) {
          piece.tree = names_.at(id);
          piece.before_log = false;
          lost->push_back(std::move(piece));
        }
      }
    }
  }

 private:
  // The kinds, in order: lost; only the latest changes are lost; something in it is lost; contents may be older.
  static constexpr size_t kPartial = 2;
  using Kinds = std::array<LostKeys, 4>;

  static size_t KindOf(const LostRange& lost) { return (lost.is_partial ? kPartial : 0) + (lost.changes_only ? 1 : 0); }

  // Changes what is lost of a tree, and keeps count of the ranges.
  template <class F>
  void Change(TreeId tree, size_t kind, F change) {
    LostKeys& keys = trees_[tree][kind];
    const size_t before = keys.size();
    change(keys);
    ranges_ += keys.size() - before;
  }

  void Write(TreeId tree, std::string_view key) {
    if (!trees_.contains(tree)) return;
    for (size_t kind = 0; kind < kPartial; ++kind) {
      Change(tree, kind, [&](LostKeys& keys) { keys.Written(key, ranges_ < limit_); });
    }
  }

  void Remove(TreeId tree, const Range& range) {
    if (!trees_.contains(tree)) return;
    for (size_t kind = 0; kind < Kinds().size(); ++kind) {
      Change(tree, kind, [&](LostKeys& keys) { keys.Remove(range); });
    }
  }

  std::vector<LostRange> Copy(TreeId tree, const Range& range) const {
    std::vector<LostRange> copy;
    if (const auto found = trees_.find(tree); found != trees_.end()) {
      for (const LostKeys& keys : found->second) {
        std::vector<LostRange> pieces = keys.In(range);
        copy.insert(copy.end(), pieces.begin(), pieces.end());
      }
    }
    return copy;
  }

  // Moves what is lost of the source. What was lost at the destination is forgotten, since the source replaces all of
  // it.
  void Move(const Op& op) {
    std::vector<LostRange> moved = Copy(op.tree, Range::Prefix(op.key));
    if (op.kind == OpKind::kRenamePrefix) Remove(op.tree, Range::Prefix(op.key));
    Remove(op.to_tree, Range::Prefix(op.value));
    for (LostRange& piece : moved) piece.range = Moved(piece.range, op.key, op.value);
    Show(std::move(moved), op.to_tree);
  }

  void Show(std::vector<LostRange> lost, TreeId tree) {
    if (lost.empty()) return;
    if (ranges_ + lost.size() > limit_) lost = {Joined(lost)};
    for (LostRange& piece : lost) {
      Change(tree, KindOf(piece), [&](LostKeys& keys) { keys.Set(std::move(piece)); });
    }
  }

  LostRange Joined(const std::vector<LostRange>& lost) const {
    LostRange all = lost.front();
    for (const LostRange& piece : lost) {
      all.range = {std::min(all.range.lo, piece.range.lo), std::max(all.range.hi, piece.range.hi)};
    }
    all.changes_only = false;
    all.but_written = false;
    all.is_partial = true;
    all.why = fmt::format("stopped in the log after {} ranges", limit_);
    return all;
  }

  const size_t limit_;
  std::map<TreeId, std::string> names_;
  std::map<std::string, TreeId> ids_;  // of the checkpoint
  std::map<TreeId, Kinds> trees_;
  size_t ranges_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<LostRange>> CarryThroughLog(Inspection& image, std::vector<LostRange> lost, size_t limit) {
  Carrier carrier(*image.state(), limit);
  std::vector<LostRange> carried;
  for (LostRange& range : lost) {
    if (!range.before_log || !carrier.Take(range)) {
      range.before_log = false;
      carried.push_back(std::move(range));
    }
  }
  const auto replay = [&](Lsn, std::string_view record) {
    BETR_ASSIGN_OR_RETURN(const std::vector<Op> ops, DecodeBatch(record));
    for (const Op& op : ops) carrier.Replay(op);
    return absl::OkStatus();
  };
  BETR_RETURN_IF_ERROR(
      Log::Open(image.device(), image.log_area(), image.log_salt(), image.log_start(), replay).status());
  carrier.Give(&carried);
  return carried;
}

}  // namespace betr::store
