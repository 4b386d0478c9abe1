// SPDX-License-Identifier: Apache-2.0
#include "support/ace/timeline.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "support/ace/ground.h"
#include "support/torture/verify.h"

namespace betr::ace {

Timeline::Timeline(uint64_t write_unit) : write_unit_(write_unit), states_{Model(kStartTime)} {}

std::vector<Model> Timeline::After(const Call& call, FileTime now, uint64_t number) const {
  std::vector<Model> states;
  for (const Call& step : StepsOf(call, write_unit_)) {
    states.push_back(states.empty() ? states_.back() : states.back());
    states.back().Apply(step, now, number);
  }
  return states;
}

void Timeline::Add(std::vector<Model> states) {
  states_.insert(states_.end(), std::make_move_iterator(states.begin()), std::make_move_iterator(states.end()));
}

size_t Timeline::PersistentAfter(size_t events) const {
  const auto after = points_.upper_bound(events);
  return after == points_.begin() ? 0 : std::prev(after)->second;
}

absl::StatusOr<size_t> Timeline::Identify(const Survey& survey, size_t events) const {
  const size_t persistent = PersistentAfter(events);
  std::string first;
  for (size_t i = persistent; i < states_.size(); ++i) {
    std::string difference = DifferenceOf(survey, states_[i]);
    if (difference.empty()) return i;
    first = i == persistent ? std::move(difference) : first;
  }
  return test::Finding(fmt::format("none of the states {} to {}; the first would be without this: {}", persistent,
                                   states_.size() - 1, first));
}

}  // namespace betr::ace
