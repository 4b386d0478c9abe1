// SPDX-License-Identifier: Apache-2.0
#include "support/torture/timeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace betr::test {

void Timeline::Add(Model model) {
  const uint64_t digest = model.Digest();
  states_.push_back({std::move(model), digest});
}

void Timeline::Return(size_t state, size_t events) {
  for (size_t i = state + 1; i < states_.size(); ++i) states_[i].lost_at = std::min(states_[i].lost_at, events);
  if (state + 1 < states_.size()) Add(Model(states_[state].model));
}

size_t Timeline::DurableAt(size_t events) const { return std::prev(durable_.upper_bound(events))->second; }

std::optional<size_t> Timeline::Find(uint64_t digest, size_t events) const {
  const size_t durable = DurableAt(events);
  for (size_t i = states_.size(); i > durable; --i) {
    if (states_[i - 1].digest == digest && states_[i - 1].lost_at > events) return i - 1;
  }
  return std::nullopt;
}

}  // namespace betr::test
