// SPDX-License-Identifier: Apache-2.0
#include "support/ace/states.h"

#include <bit>
#include <utility>

namespace betr::ace {
namespace {

constexpr size_t kFewWrites = 8;
constexpr size_t kDraws = 64;

bool IsFlush(const WriteHistory& history, size_t event) {
  return event < history.EventCount() && history.GetEvent(event).kind == WriteHistory::Kind::kFlush;
}

// With the last write torn at every 4 KiB, and at every 512 bytes of its first and last 4 KiB.
void AddAllTears(const CrashPlan& plan, std::vector<CrashPlan>* plans) {
  if (plan.fragments.empty()) return;
  const Bytes length = plan.fragments.back().length;
  for (Bytes cut = kSectorSize; cut < length; cut += kSectorSize) {
    if (cut.value % kBlockSize.value == 0 || cut < kBlockSize || cut + kBlockSize > length) {
      plans->push_back(TearLast(plan, cut));
    }
  }
}

// With the last write torn once, anywhere between two units.
void AddTear(CrashPlan plan, Bytes unit, Random& random, std::vector<CrashPlan>* plans) {
  if (plan.fragments.empty()) return;
  if (const uint64_t units = plan.fragments.back().length / unit; units > 1) {
    plans->push_back(TearLast(std::move(plan), unit * random.Between(1, units - 1)));
  }
}

// Some, but not the first so many, of the writes that a crash after `events` may lose.
void AddSubsets(const WriteHistory& history, size_t events, Random& random, std::vector<CrashPlan>* plans) {
  const CrashPlan whole = history.PrefixPlan(events);
  const size_t writes = whole.fragments.size();
  if (writes > kFewWrites) {
    for (size_t i = 0; i < kDraws; ++i) {
      CrashPlan plan = whole;
      std::erase_if(plan.fragments, [&](const CrashPlan::Fragment&) { return random.OneIn(2); });
      AddTear(plan, i % 2 == 0 ? kSectorSize : kBlockSize, random, plans);
      plans->push_back(std::move(plan));
    }
    return;
  }
  for (uint64_t mask = 1; mask < uint64_t{1} << writes; ++mask) {
    if (!std::has_single_bit(mask + 1)) {
      const CrashPlan plan = history.SubsetPlan(events, mask);
      AddTear(plan, kSectorSize, random, plans);
      AddTear(plan, kBlockSize, random, plans);
      plans->push_back(plan);
    }
  }
}

}  // namespace

std::vector<CrashPlan> CrashesAfterWrites(const WriteHistory& history) {
  std::vector<CrashPlan> plans;
  for (size_t events = 0; events <= history.EventCount(); ++events) {
    if (!IsFlush(history, events)) plans.push_back(history.PrefixPlan(events));
  }
  return plans;
}

std::vector<CrashPlan> AllCrashes(const WriteHistory& history, Random& random) {
  std::vector<CrashPlan> plans;
  for (size_t events = 0; events <= history.EventCount(); ++events) {
    // Before a flush and after it the image is the same; after it more is promised.
    const bool is_end = events == history.EventCount();
    if (!IsFlush(history, events)) plans.push_back(history.PrefixPlan(events));
    AddAllTears(history.PrefixPlan(events), &plans);
    if (is_end || IsFlush(history, events)) AddSubsets(history, events, random, &plans);
  }
  return plans;
}

}  // namespace betr::ace
