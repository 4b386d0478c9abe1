// SPDX-License-Identifier: Apache-2.0
// A view shows the part of a block that lies in a range, with its keys as they read in some node's local space.
// Cutting, lifting and sharing change views and never blocks: that is what makes private copies, splits and clips
// a matter of a few pointers.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>

#include "dag/affix.h"
#include "dag/block.h"
#include "dag/bound.h"
#include "dag/message.h"
#include "dag/point_reader.h"

namespace betr::dag {

struct BlockView {
  std::shared_ptr<const BlockSlot> slot;
  Affix affix;
  // Only entries inside are shown. In the reader's space, and inside Range::Prefix(affix.prepend).
  Range clip;

  // Whether both show the same part of the same slot in the same way.
  friend bool operator==(const BlockView&, const BlockView&) = default;

  // Upper bounds, known without I/O: a clipped view counts as a whole block.
  size_t Count() const { return slot->Count(); }
  Bytes Size() const { return slot->Size(); }

  // All of a new block.
  static BlockView Whole(std::shared_ptr<const BlockSlot> slot, Range clip) {
    return {std::move(slot), {}, std::move(clip)};
  }
  // The part of this view inside `range`; its clip is empty if there is none.
  BlockView Cut(const Range& range) const { return {slot, affix, clip.Intersect(range)}; }
  // The same entries after the prefix `from` of the reader's space, which all of them have, became `to`.
  BlockView Replace(std::string_view from, std::string_view to) const;
  BlockView Strip(std::string_view prefix) const { return Replace(prefix, ""); }
  BlockView Prepend(std::string_view prefix) const { return Replace("", prefix); }
};

// The range of what some keys from `first` to `last` have in common, or of a part of that: what a view of them shows is
// seen to be apart from the views of other directories.
Range PrefixRange(std::string_view first, std::string_view last);

// Reads a loaded view.
class ViewReader final : public PointReader {
 public:
  // Finds the view's first and last entry: two binary searches. Stands nowhere until it seeks.
  ViewReader(std::shared_ptr<const Block> block, const BlockView& view);
  static absl::StatusOr<ViewReader> Open(const BlockView& view);

  // Entries in view, and about their payload bytes. 0 if the clip shows none.
  size_t Count() const { return end_ - begin_; }
  Bytes Size() const;

  void SeekForward(const Bound& bound) override;
  void SeekBackward(const Bound& bound) override;
  bool Valid() const override { return group_begin_ < group_end_; }
  void Next() override;
  void Prev() override;
  std::string_view Key() const override { return affix_.Identity() ? first_.key : std::string_view(key_buffer_); }
  size_t GroupSize() const override { return group_end_ - group_begin_; }
  Message At(size_t index) const override { return index == 0 ? first_.message : block_->At(group_begin_ + index); }

 private:
  void Enter(size_t begin);
  void EnterBefore(size_t end);

  std::shared_ptr<const Block> block_;
  Affix affix_;
  size_t begin_ = 0;  // entries [begin_, end_) are in view
  size_t end_ = 0;
  size_t group_begin_ = 0;
  size_t group_end_ = 0;
  Point first_;  // of the group
  std::string key_buffer_;
};

// Looks one key up in a view: adds its messages to `value`, newest first, until one is terminal.
absl::Status LookUpInView(const BlockView& view, std::string_view key, ValueBuilder& value);

}  // namespace betr::dag
