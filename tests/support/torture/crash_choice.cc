// SPDX-License-Identifier: Apache-2.0
#include "support/torture/crash_choice.h"

#include <algorithm>

namespace betr::test {
namespace {

CrashPlan Torn(CrashPlan plan, Random& random) {
  if (plan.fragments.empty()) return plan;
  const uint64_t sectors = plan.fragments.back().length / kSectorSize;
  return TearLast(std::move(plan), kSectorSize * random.Uniform(sectors + 1));
}

CrashPlan AllButOne(CrashPlan plan, Random& random) {
  if (!plan.fragments.empty()) {
    plan.fragments.erase(plan.fragments.begin() + static_cast<ptrdiff_t>(random.Uniform(plan.fragments.size())));
  }
  return plan;
}

}  // namespace

CrashPlan ChooseCrash(const WriteHistory& history, Random& random) {
  const size_t events = random.Uniform(history.EventCount() + 1);
  switch (random.Uniform(8)) {
    case 0:
      return history.PrefixPlan(events);
    case 1:
      return Torn(history.PrefixPlan(events), random);
    case 2:
      return AllButOne(history.PrefixPlan(events), random);
    case 3:
    case 4:
      return history.SectorPlan(events, random);
    default:
      return history.RandomPlan(events, random);
  }
}

}  // namespace betr::test
