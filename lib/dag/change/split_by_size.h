// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): pivots as in any B-tree, before preferential splitting (Zhan et al. 2020).
#pragma once

#include "dag/change/policy.h"

namespace betr::dag {

// The place nearest the centre of the weight, however long its bound. Requires: there are places.
const SplitPlace& NearestCentre(std::span<const SplitPlace> places, uint64_t total);

}  // namespace betr::dag
