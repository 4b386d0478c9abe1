// SPDX-License-Identifier: Apache-2.0
#include "dag/view.h"

#include <algorithm>

#include "base/status.h"

namespace betr::dag {

BlockView BlockView::Replace(std::string_view from, std::string_view to) const {
  return {slot, affix.Then(from, to), clip.Strip(from.size()).Prepend(to)};
}

ViewReader::ViewReader(std::shared_ptr<const Block> block, const BlockView& view)
    : block_(std::move(block)), affix_(view.affix) {
  if (!view.clip.Empty()) {
    begin_ = block_->LowerBound(affix_.Store(view.clip.lo));
    end_ = std::max(begin_, block_->LowerBound(affix_.Store(view.clip.hi)));
  }
  group_begin_ = group_end_ = end_;
}

absl::StatusOr<ViewReader> ViewReader::Open(const BlockView& view) {
  BETR_ASSIGN_OR_RETURN(auto block, view.slot->Get());
  return ViewReader(std::move(block), view);
}

Bytes ViewReader::Size() const {
  return block_->Count() == 0 ? Bytes{0} : Bytes{block_->Payload().size() * Count() / block_->Count()};
}

void ViewReader::Enter(size_t begin) {
  group_begin_ = begin;
  group_end_ = begin < end_ ? block_->GroupEnd(begin) : begin;
  if (Valid()) {
    first_ = block_->PointAt(begin);
    if (!affix_.Identity()) affix_.Read(first_.key, key_buffer_);
  }
}

void ViewReader::EnterBefore(size_t end) {
  if (end <= begin_) {
    group_begin_ = group_end_ = begin_;
    return;
  }
  size_t begin = end - 1;
  while (!block_->At(begin).Terminal() && begin > begin_ && block_->Key(begin - 1) == block_->Key(begin)) --begin;
  Enter(begin);
}

void ViewReader::SeekForward(const Bound& bound) {
  Enter(std::clamp(block_->LowerBound(affix_.Store(bound)), begin_, end_));
}

void ViewReader::SeekBackward(const Bound& bound) {
  EnterBefore(std::clamp(block_->LowerBound(affix_.Store(bound)), begin_, end_));
}

void ViewReader::Next() { Enter(group_end_); }

void ViewReader::Prev() { EnterBefore(group_begin_); }

absl::Status LookUpInView(const BlockView& view, std::string_view key, ValueBuilder& value) {
  const std::string_view prepend = view.affix.prepend;
  if (!key.starts_with(prepend) || !view.clip.Contains(key)) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const auto block, view.slot->Get());
  std::string buffer;
  std::string_view stored = key;
  if (!view.affix.Identity()) {
    buffer = view.affix.strip;
    buffer.append(key.substr(prepend.size()));
    stored = buffer;
  }
  const size_t begin = block->LowerBound(stored);
  if (begin == block->Count() || block->Key(begin) != stored) return absl::OkStatus();
  for (size_t i = block->GroupEnd(begin); i > begin && !value.Done(); --i) value.Add(block->At(i - 1));
  return absl::OkStatus();
}

Range PrefixRange(std::string_view first, std::string_view last) {
  constexpr size_t kEnough = 256;
  return Range::Prefix(CommonPrefix(first, last).substr(0, kEnough));
}

}  // namespace betr::dag
