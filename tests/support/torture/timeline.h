// SPDX-License-Identifier: Apache-2.0
// What a store held after each batch of a session, and what a crash after some number of device events may leave of it.
//
// 1. States are in the order in which batches were acknowledged. State 0 is where the session began.
// 2. A crash leaves one of the states from the last durable one on: the batches up to there, each as a whole.
// 3. If the program ends without closing and opens the store again, the states behind the one that it finds are gone
//    for every later crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "support/torture/model.h"

namespace betr::test {

class Timeline {
 public:
  explicit Timeline(Model start) { Add(std::move(start)); }

  const Model& Now() const { return states_.back().model; }
  void Add(Model model);

  // Notes that a crash after at least `events` events leaves the present state or a later one.
  void MarkDurable(size_t events) { durable_[events] = states_.size() - 1; }
  // Makes `state`, found after `events` events, the present one. States after it will not come back.
  void Return(size_t state, size_t events);

  // Finds the newest state with this digest that a crash after `events` events may leave.
  std::optional<size_t> Find(uint64_t digest, size_t events) const;
  size_t DurableAt(size_t events) const;
  size_t Count() const { return states_.size(); }
  const Model& At(size_t state) const { return states_[state].model; }

 private:
  struct State {
    Model model;
    uint64_t digest = 0;
    size_t lost_at = std::numeric_limits<size_t>::max();  // events
  };

  std::vector<State> states_;
  std::map<size_t, size_t> durable_{{0, 0}};  // events -> state
};

}  // namespace betr::test
