// SPDX-License-Identifier: Apache-2.0
#include "dag/change/policy.h"

namespace betr::dag {

const SplitPlace& ShortestSeparator(std::span<const SplitPlace> places, uint64_t total) {
  const SplitPlace* best = &places.front();
  for (const SplitPlace& place : places) {
    const bool central = place.FromCentre(total) <= total / 4;
    const bool best_central = best->FromCentre(total) <= total / 4;
    const bool shorter = place.bound->bytes.size() < best->bound->bytes.size();
    const bool equal = place.bound->bytes.size() == best->bound->bytes.size();
    const bool nearer = place.FromCentre(total) < best->FromCentre(total);
    if (central != best_central ? central : central ? shorter || (equal && nearer) : nearer) best = &place;
  }
  return *best;
}

}  // namespace betr::dag
