// SPDX-License-Identifier: Apache-2.0
#include "dag/policy.h"

namespace betr::dag {

const SplitPlace& ShortestSeparator(std::span<const SplitPlace> places, uint64_t total) {
  const auto distance = [&](const SplitPlace& place) {
    return place.weight > total / 2 ? place.weight - total / 2 : total / 2 - place.weight;
  };
  const SplitPlace* best = &places.front();
  for (const SplitPlace& place : places) {
    const bool central = distance(place) <= total / 4;
    const bool best_central = distance(*best) <= total / 4;
    const bool shorter = place.bound->bytes.size() < best->bound->bytes.size();
    const bool equal = place.bound->bytes.size() == best->bound->bytes.size();
    const bool nearer = distance(place) < distance(*best);
    if (central != best_central ? central : central ? shorter || (equal && nearer) : nearer) {
      best = &place;
    }
  }
  return *best;
}

}  // namespace betr::dag
