// SPDX-License-Identifier: Apache-2.0
// The cursor over one tree. It goes segment by segment, newest message first.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "betr/cursor.h"
#include "betr/upsert.h"
#include "dag/read/segment.h"

namespace betr::dag {

class TreeCursor final : public Cursor {
 public:
  // `functions` must outlive the cursor. `pin` is kept until the cursor goes.
  TreeCursor(Source source, Range bounds, const UpsertRegistry& functions, std::shared_ptr<const void> pin)
      : pin_(std::move(pin)), source_(std::move(source)), bounds_(std::move(bounds)), functions_(functions) {}

  void SeekToFirst() override { Seek(bounds_.lo); }
  void SeekToLast() override { SeekBefore(bounds_.hi); }
  void Seek(const Bound& bound) override;
  void SeekBefore(const Bound& bound) override;
  bool Valid() const override { return valid_; }
  void Next() override;
  void Prev() override;
  std::string_view Key() const override { return key_; }
  std::string_view Value() const override { return value_; }
  absl::Status status() const override { return status_; }

  // To the first key of other bounds, which are its own from now on.
  void SeekWithin(Range bounds);
  // Where it failed on its way forward, if status() is an error: what lies before that was shown, or is not there.
  const Bound& FailedAt() const { return failed_at_; }

 private:
  void Find();
  bool EnterSegment(const Bound& at);
  bool LeaveSegment();
  bool FindInSegment();
  bool PickKey();
  absl::StatusOr<bool> TakeValue();

  std::shared_ptr<const void> pin_;
  Source source_;
  Range bounds_;
  const UpsertRegistry& functions_;

  Direction direction_ = Direction::kForward;
  std::optional<Segment> segment_;
  bool valid_ = false;
  absl::Status status_;
  Bound failed_at_;
  std::string key_;
  std::string value_;
};

}  // namespace betr::dag
