// SPDX-License-Identifier: Apache-2.0
#include "dag/erases.h"

#include <algorithm>
#include <optional>

namespace betr::dag {
namespace {

bool MayErase(const BlockView& run, Reach reach) {
  const std::optional<uint64_t> known = run.slot->Erases();
  if (known || reach == Reach::kMemory) return !known || *known > 0;
  const auto block = run.slot->Get();
  return !block.ok() || (*block)->Erases() > 0;  // whoever moves the run gets the error
}

}  // namespace

uint64_t ErasesInView(const BlockView& run) {
  const uint64_t in_block = run.slot->Erases().value_or(0);
  return in_block == 0 ? 0 : in_block * VisibleCount(run) / run.Count();  // as if they were spread evenly
}

Erases ErasesIn(const Partition& partition) {
  Erases erases;
  for (const BlockView& run : partition.runs) {
    if (const uint64_t count = ErasesInView(run); count > 0) {
      erases.count += count;
      erases.bytes += run.Size() * count / run.Count();
    }
  }
  for (const Goto& message : partition.gotos) {
    if (message.Erases()) {
      ++erases.count;
      erases.bytes += GotoSize(message);
    }
  }
  return erases;
}

bool MayErase(const Partition& partition, Reach reach) {
  const auto erases_range = [](const Goto& message) { return message.Erases(); };
  return std::ranges::any_of(partition.gotos, erases_range) ||
         std::ranges::any_of(partition.runs, [&](const BlockView& run) { return MayErase(run, reach); });
}

}  // namespace betr::dag
