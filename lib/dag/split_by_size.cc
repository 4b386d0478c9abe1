// SPDX-License-Identifier: Apache-2.0
#include "dag/split_by_size.h"

#include <algorithm>

namespace betr::dag {

const SplitPlace& NearestCentre(std::span<const SplitPlace> places, uint64_t total) {
  const auto distance = [&](const SplitPlace& place) {
    return place.weight > total / 2 ? place.weight - total / 2 : total / 2 - place.weight;
  };
  return *std::min_element(places.begin(), places.end(),
                           [&](const SplitPlace& a, const SplitPlace& b) { return distance(a) < distance(b); });
}

}  // namespace betr::dag
