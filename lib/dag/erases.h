// SPDX-License-Identifier: Apache-2.0
// Erases that wait in a partition. Each pins what it erases, so if there are many, they move on even if nothing is
// over-full (job.h).
#pragma once

#include <cstdint>

#include "base/units.h"
#include "dag/live.h"
#include "dag/partition.h"

namespace betr::dag {

struct Erases {
  uint64_t count = 0;
  Bytes bytes{0};
};

// About how many of what a run shows are erases. Reads nothing: as ErasesIn.
uint64_t ErasesInView(const BlockView& run);

// Of keys and of ranges. Reads nothing: a run that is not in memory counts by what is known of it (block.h), and
// one of which nothing is does not count.
Erases ErasesIn(const Partition& partition);

// Whether there are any. Runs of which that is not known are read, if they may be; else they may erase.
bool MayErase(const Partition& partition, Reach reach);

}  // namespace betr::dag
