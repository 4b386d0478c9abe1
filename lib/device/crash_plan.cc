// SPDX-License-Identifier: Apache-2.0
// The part of write_history.h that chooses which outcomes of a crash are tried.
#include <absl/strings/str_format.h>

#include <algorithm>
#include <span>

#include "base/check.h"
#include "device/write_history.h"

namespace betr {
namespace {

using Fragment = CrashPlan::Fragment;

// Splits fragments that are whole events into their blocks, in order.
std::vector<Fragment> SplitIntoBlocks(const std::vector<Fragment>& fragments) {
  std::vector<Fragment> blocks;
  for (const Fragment& fragment : fragments) {
    for (Bytes at; at < fragment.length; at += kBlockSize) {
      blocks.push_back({fragment.event, fragment.from + at, kBlockSize});
    }
  }
  return blocks;
}

// Keeps each fragment with the same chance. The chance is drawn first, so that some crashes lose nearly nothing, and
// some nearly all.
void DropSome(std::vector<Fragment>* fragments, Random& random) {
  const uint64_t kept_of_8 = random.Between(1, 7);
  std::erase_if(*fragments, [&](const Fragment&) { return random.Uniform(8) >= kept_of_8; });
}

// Keeps some sectors of a fragment: at the front, at the end, or in the middle.
void Tear(Fragment* fragment, Random& random) {
  const uint64_t sectors = fragment->length / kSectorSize;
  const uint64_t first = random.OneIn(2) ? 0 : random.Uniform(sectors);
  const uint64_t count = random.OneIn(2) ? sectors - first : random.Between(1, sectors - first);
  fragment->from += kSectorSize * first;
  fragment->length = kSectorSize * count;
}

}  // namespace

std::string FormatPlan(const CrashPlan& plan) {
  std::string text = absl::StrFormat("after %u events:", plan.events);
  for (const Fragment& fragment : plan.fragments) {
    absl::StrAppendFormat(&text, " %u[%u+%u]", fragment.event, fragment.from.value, fragment.length.value);
  }
  return text;
}

CrashPlan TearLast(CrashPlan plan, Bytes kept) {
  Check(kept.value % kSectorSize.value == 0, "sectors are whole");
  if (!plan.fragments.empty()) {
    Bytes& length = plan.fragments.back().length;
    length = std::min(length, kept);
  }
  return plan;
}

CrashPlan WriteHistory::PrefixPlan(size_t events) const {
  CrashPlan plan{events, {}};
  for (const size_t number : Unflushed(events)) plan.fragments.push_back({number, Bytes{0}, GetEvent(number).length});
  return plan;
}

CrashPlan WriteHistory::SubsetPlan(size_t events, uint64_t mask) const {
  CrashPlan plan = PrefixPlan(events);
  Check(plan.fragments.size() <= 64, "a subset of at most 64 events");
  size_t position = 0;
  std::erase_if(plan.fragments, [&](const Fragment&) { return (mask >> position++ & 1) == 0; });
  return plan;
}

CrashPlan WriteHistory::RandomPlan(size_t events, Random& random) const {
  CrashPlan plan = PrefixPlan(events);
  if (random.OneIn(2)) plan.fragments = SplitIntoBlocks(plan.fragments);
  if (!random.OneIn(8)) DropSome(&plan.fragments, random);
  if (random.OneIn(2)) random.Shuffle(std::span(plan.fragments));
  if (!plan.fragments.empty() && random.OneIn(2)) Tear(&plan.fragments.back(), random);
  return plan;
}

CrashPlan WriteHistory::SectorPlan(size_t events, Random& random) const {
  CrashPlan plan{events, {}};
  const uint64_t kept_of_8 = random.Between(1, 7);
  for (const Fragment& whole : PrefixPlan(events).fragments) {
    for (Bytes at; at < whole.length; at += kSectorSize) {
      if (random.Uniform(8) >= kept_of_8) continue;
      Fragment* last = plan.fragments.empty() ? nullptr : &plan.fragments.back();
      if (last != nullptr && last->event == whole.event && last->from + last->length == at) {
        last->length += kSectorSize;
      } else {
        plan.fragments.push_back({whole.event, at, kSectorSize});
      }
    }
  }
  return plan;
}

}  // namespace betr
