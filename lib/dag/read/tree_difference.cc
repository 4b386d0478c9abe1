// SPDX-License-Identifier: Apache-2.0
#include "dag/read/tree_difference.h"

#include <utility>

#include "base/check.h"

namespace betr::dag {

TreeDifference::TreeDifference(Side before, Side after, const UpsertRegistry& functions,
                               std::shared_ptr<const void> pin)
    : pin_(std::move(pin)),
      before_side_(std::move(before)),
      after_side_(std::move(after)),
      divergence_(before_side_, after_side_),
      before_(before_side_, functions),
      after_(after_side_, functions) {}

void TreeDifference::Reader::Pass(std::string_view key) {
  if (cursor.Valid() && Key() == key) cursor.Next();
}

Bound TreeDifference::Reader::Position() const {
  if (cursor.Valid()) return Bound::At(Key());
  return cursor.status().ok() ? Range::All().hi : cursor.FailedAt().Strip(prefix.size());
}

std::optional<std::string_view> TreeDifference::ValueOf(const Reader& reader) {
  return reader.has_key ? std::optional(reader.cursor.Value()) : std::nullopt;
}

void TreeDifference::Seek(const Bound& bound) {
  status_ = absl::OkStatus();
  range_.reset();
  at_ = bound;
  Find();
}

void TreeDifference::Next() {
  Check(valid_, "a cursor that moves stands on a key");
  PassKey();
  Find();
}

void TreeDifference::Find() {
  valid_ = false;
  while (!valid_ && status_.ok() && (range_ || EnterRange())) valid_ = FindInRange();
}

// Goes to the next range in which the two may differ. False at the end, and on errors.
bool TreeDifference::EnterRange() {
  absl::StatusOr<std::optional<Range>> found = divergence_.From(at_);
  if (!found.ok() || !*found) {
    status_ = found.status();
    range_.reset();
    return false;
  }
  range_ = **std::move(found);
  at_ = range_->hi;
  before_.cursor.SeekWithin(range_->Prepend(before_.prefix));
  after_.cursor.SeekWithin(range_->Prepend(after_.prefix));
  return true;
}

// Goes to the next key of the range in which the two differ. False at the end of the range, and on errors.
bool TreeDifference::FindInRange() {
  while (range_) {
    status_ = FirstError();
    const bool before_shows = before_.cursor.Valid();
    const bool after_shows = after_.cursor.Valid();
    if (!status_.ok() || (!before_shows && !after_shows)) {
      range_.reset();
      return false;
    }
    key_ = !after_shows || (before_shows && before_.Key() < after_.Key()) ? before_.Key() : after_.Key();
    before_.has_key = before_shows && before_.Key() == key_;
    after_.has_key = after_shows && after_.Key() == key_;
    if (Before() != After()) return true;
    PassKey();
  }
  return false;
}

// Returns the error of a cursor that could not go on, once the other cursor has come to that position. Keys before it
// can be compared whatever is there.
absl::Status TreeDifference::FirstError() const {
  if (before_.cursor.status().ok() && after_.cursor.status().ok()) return absl::OkStatus();
  const Bound before = before_.Position();
  const Bound after = after_.Position();
  absl::Status first = before <= after ? before_.cursor.status() : absl::OkStatus();
  first.Update(after <= before ? after_.cursor.status() : absl::OkStatus());
  return first;
}

// Leaves the current key. If the range can hold no key behind it, the range is left, and the cursors need not move.
void TreeDifference::PassKey() {
  if (range_->hi <= Range::Only(key_).hi) {
    range_.reset();
    return;
  }
  before_.Pass(key_);
  after_.Pass(key_);
}

}  // namespace betr::dag
