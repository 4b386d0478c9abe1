// SPDX-License-Identifier: Apache-2.0
// The oracle's states, one after each step of the calls, and which of them was persistent at what time.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <vector>

#include "support/ace/model.h"
#include "support/ace/survey.h"

namespace betr::ace {

class Timeline {
 public:
  // Begins with the empty file system. `write_unit` is that of Ground.
  explicit Timeline(uint64_t write_unit);

  const Model& Last() const { return states_.back(); }
  const Model& At(size_t state) const { return states_[state]; }

  // Returns the states after each step of a call that follows the last state. `number` is that of the inode that the
  // call made.
  std::vector<Model> After(const Call& call, FileTime now, uint64_t number) const;
  void Add(std::vector<Model> states);

  // Notes that the last state is persistent after `events` device events.
  void MarkPersistent(size_t events) { points_[events] = states_.size() - 1; }
  // Events, and what was persistent after them.
  const std::map<size_t, size_t>& points() const { return points_; }

  // Finds which state is seen after `events` device events: the last persistent one or a later one. Error if it is none
  // of these.
  absl::StatusOr<size_t> Identify(const Survey& survey, size_t events) const;

 private:
  size_t PersistentAfter(size_t events) const;

  uint64_t write_unit_;
  std::vector<Model> states_;
  std::map<size_t, size_t> points_;
};

}  // namespace betr::ace
