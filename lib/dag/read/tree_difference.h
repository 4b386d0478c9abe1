// SPDX-License-Identifier: Apache-2.0
// The cursor over the differences of two prefixes: where they may differ (divergence.h) it reads both.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "betr/difference_cursor.h"
#include "betr/upsert.h"
#include "dag/read/divergence.h"
#include "dag/read/tree_cursor.h"

namespace betr::dag {

class TreeDifference final : public DifferenceCursor {
 public:
  // As Divergence and TreeCursor.
  TreeDifference(Side before, Side after, const UpsertRegistry& functions, std::shared_ptr<const void> pin);

  void Seek(const Bound& bound) override;
  bool Valid() const override { return valid_; }
  void Next() override;
  std::string_view Key() const override { return key_; }
  std::optional<std::string_view> Before() const override { return ValueOf(before_); }
  std::optional<std::string_view> After() const override { return ValueOf(after_); }
  absl::Status status() const override { return status_; }

 private:
  struct Reader {
    Reader(const Side& side, const UpsertRegistry& functions)
        : prefix(side.prefix), cursor(side.source, Range::Prefix(side.prefix), functions, nullptr) {}
    // Behind the key, if it stands there.
    void Pass(std::string_view key);
    // Before the key, the end, or what cannot be read.
    Bound Position() const;
    std::string_view Key() const { return cursor.Key().substr(prefix.size()); }

    const std::string& prefix;
    TreeCursor cursor;
    bool has_key = false;
  };
  static std::optional<std::string_view> ValueOf(const Reader& reader);

  void Find();
  bool EnterRange();
  bool FindInRange();
  absl::Status FirstError() const;
  void PassKey();

  const std::shared_ptr<const void> pin_;
  const Side before_side_;
  const Side after_side_;
  Divergence divergence_;
  Reader before_;
  Reader after_;
  std::optional<Range> range_;  // that is being read
  Bound at_;                    // where the next one is looked for
  bool valid_ = false;
  absl::Status status_;
  std::string key_;
};

}  // namespace betr::dag
