// SPDX-License-Identifier: Apache-2.0
// The oracle's states, one after each step of what was called, and which of them was persistent when.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <vector>

#include "support/ace/model.h"
#include "support/ace/survey.h"

namespace betr::ace {

class Timeline {
 public:
  // Begins with the empty file system. `write_unit`: as Ground has it.
  explicit Timeline(uint64_t write_unit);

  const Model& Last() const { return states_.back(); }
  const Model& At(size_t state) const { return states_[state]; }

  // The states after each step of a call from the last one on. `number`: of the inode that the call has made.
  std::vector<Model> After(const Call& call, FileTime now, uint64_t number) const;
  void Add(std::vector<Model> states);

  // After so many device events the last state is persistent.
  void MarkPersistent(size_t events) { points_[events] = states_.size() - 1; }
  // Events, and what was persistent after them.
  const std::map<size_t, size_t>& points() const { return points_; }

  // Which state is seen, after so many events: the last persistent one or a later one. Error: none of these.
  absl::StatusOr<size_t> Identify(const Survey& survey, size_t events) const;

 private:
  size_t PersistentAfter(size_t events) const;

  uint64_t write_unit_;
  std::vector<Model> states_;
  std::map<size_t, size_t> points_;
};

}  // namespace betr::ace
