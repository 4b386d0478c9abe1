// SPDX-License-Identifier: Apache-2.0
#include "dag/change/split_by_size.h"

#include <algorithm>

namespace betr::dag {

const SplitPlace& NearestCentre(std::span<const SplitPlace> places, uint64_t total) {
  return *std::min_element(places.begin(), places.end(), [&](const SplitPlace& a, const SplitPlace& b) {
    return a.FromCentre(total) < b.FromCentre(total);
  });
}

}  // namespace betr::dag
