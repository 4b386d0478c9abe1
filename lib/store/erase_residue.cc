// SPDX-License-Identifier: Apache-2.0
#include "store/erase_residue.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/change/residue.h"
#include "dag/range_set.h"
#include "dag/read/tree_cursor.h"
#include "store/batch_codec.h"

namespace betr::store {
namespace {

// How much a batch may say beside its erases. An example is an inode's attributes and the block at its new end.
constexpr Bytes kMostBesides = KiB(8);

using Key = std::optional<std::string>;

bool Erases(const Op& op) { return op.kind == OpKind::kErase || op.kind == OpKind::kEraseRange; }

// The erases of a batch in one tree.
class ErasesOfTree {
 public:
  ErasesOfTree(const View& view, const Tree& tree, const UpsertRegistry& functions)
      : table_(view.state->table),
        tree_(tree),
        functions_(functions),
        cursor_({view.state->table, tree.root, view.LayersOf(tree.id)}, Range::All(), functions, nullptr) {}

  // Returns wider ranges, each to be erased in place of the erases that it covers. Returns nothing if something would
  // be left anyway.
  absl::StatusOr<std::optional<std::vector<Range>>> Run(const dag::RangeSet& erased) {
    std::vector<Range> ranges;
    erased.ForEach([&](const Range& range) { ranges.push_back(range); });
    std::vector<Range> wider;
    for (size_t first = 0, end = 0; first < ranges.size(); first = end) {
      // Ranges between which no key stays count as one.
      Key after;
      do {
        BETR_ASSIGN_OR_RETURN(after, KeyAfter(ranges[end].hi));
        ++end;
      } while (after && end < ranges.size() && ranges[end].Contains(*after));
      BETR_ASSIGN_OR_RETURN(const Key erased_first, KeyAfter(ranges[first].lo));
      if (!after || erased_first == after) {
        continue;  // no key follows, so the last edge ends there; or nothing is erased
      }
      BETR_ASSIGN_OR_RETURN(const Key before, KeyBefore(ranges[first].lo));
      BETR_ASSIGN_OR_RETURN(const dag::Residue residue, ResidueOf(before, *after));
      if (residue == dag::Residue::kSame) {
        wider.push_back({Range::Only(*before).hi, Bound::At(*after)});
      } else if (residue != dag::Residue::kNone) {
        return std::optional<std::vector<Range>>();
      }
    }
    return std::optional(std::move(wider));
  }

 private:
  absl::StatusOr<Key> KeyAfter(const Bound& bound) {
    cursor_.Seek(bound);
    return Found();
  }

  absl::StatusOr<Key> KeyBefore(const Bound& bound) {
    cursor_.SeekBefore(bound);
    return Found();
  }

  absl::StatusOr<Key> Found() const {
    BETR_RETURN_IF_ERROR(cursor_.status());
    return cursor_.Valid() ? Key(cursor_.Key()) : Key();
  }

  absl::StatusOr<dag::Residue> ResidueOf(const Key& before, const std::string& after) {
    return before ? dag::ResidueOf(table_, tree_.root, *before, after, functions_) : dag::Residue::kNone;
  }

  const dag::NodeTable& table_;
  const Tree& tree_;
  const UpsertRegistry& functions_;
  dag::TreeCursor cursor_;
};

Range RangeOf(const Op& erase) { return erase.kind == OpKind::kErase ? Range::Only(erase.key) : erase.range; }

// What a delete does to each tree.
struct Deleted {
  std::map<TreeId, dag::RangeSet> erased;
  std::map<TreeId, dag::RangeSet> written;
};

std::optional<Deleted> DeletedBy(std::span<const Op> ops) {
  Deleted deleted;
  Bytes besides{0};
  for (const Op& op : ops) {
    if (Erases(op)) {
      deleted.erased[op.tree].Add(RangeOf(op));
    } else if (op.kind == OpKind::kPut || op.kind == OpKind::kUpsert) {
      deleted.written[op.tree].Add(Range::Only(op.key));
      besides += EncodedSize(op);
    } else {
      return std::nullopt;
    }
  }
  return deleted.erased.empty() || besides > kMostBesides ? std::nullopt : std::optional(std::move(deleted));
}

}  // namespace

absl::StatusOr<std::optional<PlainDelete>> WithoutResidue(const View& view, std::span<const Op> ops,
                                                          const UpsertRegistry& functions) {
  std::optional<Deleted> deleted = DeletedBy(ops);
  if (!deleted) return std::optional<PlainDelete>();
  WriteBatch wider;
  for (const auto& [id, erased] : deleted->erased) {
    const Tree* tree = view.state->trees.Find(id);
    Check(tree != nullptr, "a batch is checked before it is applied");
    BETR_ASSIGN_OR_RETURN(const auto ranges, ErasesOfTree(view, *tree, functions).Run(erased));
    const auto is_written = [&, id = id](const Range& range) { return deleted->written[id].Overlaps(range); };
    if (!ranges || std::ranges::any_of(*ranges, is_written)) return std::optional<PlainDelete>();
    for (const Range& range : *ranges) wider.EraseRange(id, range);
  }
  PlainDelete plain{wider.ops(), !wider.ops().empty()};
  for (const Op& op : ops) {
    const auto covers = [&](const Op& wide) { return op.tree == wide.tree && wide.range.Covers(RangeOf(op)); };
    if (!Erases(op) || std::ranges::none_of(wider.ops(), covers)) plain.ops.push_back(op);
  }
  // Clones make keys that are longer than callers may write. As bounds of many erases they also add up.
  const bool is_within_limits = ValidateOps(plain.ops).ok() && CheckSize(SizeOf(plain.ops), kMaxBatch).ok();
  return is_within_limits ? std::optional(std::move(plain)) : std::nullopt;
}

}  // namespace betr::store
