// SPDX-License-Identifier: Apache-2.0
#include "dag/read/tree_cursor.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace betr::dag {

void TreeCursor::Seek(const Bound& bound) {
  direction_ = Direction::kForward;
  segment_.reset();
  status_ = absl::OkStatus();
  valid_ = EnterSegment(std::max(bound, bounds_.lo));
  Find();
}

void TreeCursor::SeekBefore(const Bound& bound) {
  direction_ = Direction::kBackward;
  segment_.reset();
  status_ = absl::OkStatus();
  valid_ = EnterSegment(std::min(bound, bounds_.hi));
  Find();
}

void TreeCursor::SeekWithin(Range bounds) {
  bounds_ = std::move(bounds);
  SeekToFirst();
}

void TreeCursor::Next() {
  Check(valid_, "a cursor that moves stands on a key");
  if (direction_ == Direction::kForward) {
    Find();
  } else {
    Seek(Bound::At(key_ + '\0'));  // the first position after key_
  }
}

void TreeCursor::Prev() {
  Check(valid_, "a cursor that moves stands on a key");
  if (direction_ == Direction::kBackward) {
    Find();
  } else {
    SeekBefore(Bound::At(std::string(key_)));
  }
}

// Goes to the next key that has a value, or to the end. Requires: if valid_, there is a segment.
void TreeCursor::Find() {
  while (valid_ && !FindInSegment()) valid_ = LeaveSegment();
}

// Goes to the segment at a position. False at the end of the bounds and on errors.
bool TreeCursor::EnterSegment(const Bound& at) {
  const bool forward = direction_ == Direction::kForward;
  if (forward ? at >= bounds_.hi : at <= bounds_.lo) return false;
  absl::StatusOr<Segment> segment = FindSegment(source_, at, direction_);
  if (!segment.ok()) {
    status_ = segment.status();
    failed_at_ = at;
    return false;
  }
  segment_ = *std::move(segment);
  segment_->range = segment_->range.Intersect(bounds_);
  for (const auto& reader : segment_->readers) {
    if (forward) {
      reader->SeekForward(std::max(at, segment_->range.lo));
    } else {
      reader->SeekBackward(std::min(at, segment_->range.hi));
    }
  }
  return true;
}

bool TreeCursor::LeaveSegment() {
  const Range range = std::move(segment_->range);
  return EnterSegment(direction_ == Direction::kForward ? range.hi : range.lo);
}

// Goes to the next key of the segment that has a value. False at the end of the segment. After an error it is true, but
// the cursor is not valid any more.
bool TreeCursor::FindInSegment() {
  while (PickKey()) {
    const absl::StatusOr<bool> present = TakeValue();
    if (!present.ok()) {
      status_ = present.status();
      failed_at_ = Bound::At(key_);
      valid_ = false;
    }
    if (!present.ok() || *present) return true;
  }
  return false;
}

// Sets key_ to the nearest key of all readers. False if there is none in the segment.
bool TreeCursor::PickKey() {
  const bool forward = direction_ == Direction::kForward;
  const PointReader* nearest = nullptr;
  for (const auto& reader : segment_->readers) {
    if (reader->Valid() &&
        (nearest == nullptr || (forward ? reader->Key() < nearest->Key() : reader->Key() > nearest->Key()))) {
      nearest = reader.get();
    }
  }
  if (nearest == nullptr || !segment_->range.Contains(nearest->Key())) return false;
  key_.assign(nearest->Key());
  return true;
}

// Finds the value of the current key, and moves all readers past the key. False if the key turns out to be absent.
absl::StatusOr<bool> TreeCursor::TakeValue() {
  ValueBuilder value;
  for (const auto& reader : segment_->readers) {
    if (!reader->Valid() || reader->Key() != key_) continue;
    for (size_t i = reader->GroupSize(); i > 0 && !value.Done(); --i) value.Add(reader->At(i - 1));
    if (direction_ == Direction::kForward) {
      reader->Next();
    } else {
      reader->Prev();
    }
  }
  BETR_ASSIGN_OR_RETURN(std::optional<std::string> result, value.Resolve(functions_, key_));
  if (!result) return false;
  value_ = *std::move(result);
  return true;
}

}  // namespace betr::dag
