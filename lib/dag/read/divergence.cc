// SPDX-License-Identifier: Apache-2.0
#include "dag/read/divergence.h"

#include <string_view>

#include "base/check.h"
#include "base/status.h"

namespace betr::dag {
namespace {

// Returns the affix that makes keys of the content out of keys of the node at which the descent stands. It is the
// shortest one: no byte is both stripped and put in front. So two affixes are equal if they do the same.
Affix ToContent(const Descent& descent, const Side& side) {
  Affix affix = descent.ToRoot().Then(side.prefix, "");
  while (!affix.strip.empty() && !affix.prepend.empty() && affix.strip.back() == affix.prepend.back()) {
    affix.strip.pop_back();
    affix.prepend.pop_back();
  }
  return affix;
}

Range ShownContent(const Descent& descent, const Side& side) { return descent.Shown().Strip(side.prefix.size()); }

Descent Begin(const Side& side, const Bound& at) {
  return {side.source, Range::Prefix(side.prefix), at.Prepend(side.prefix), Direction::kForward};
}

bool AtNothing(const Descent& descent) { return descent.AtEnd() && !descent.SawLeaf(); }

// Lowers `first` to the first key that a reader shows in a range of the content.
void FindFirst(std::vector<std::unique_ptr<PointReader>>& readers, const Side& side, const Range& range,
               std::optional<std::string>& first) {
  const Range whole = range.Prepend(side.prefix);
  for (const auto& reader : readers) {
    reader->SeekForward(whole.lo);
    if (reader->Valid() && whole.Contains(reader->Key())) {
      const std::string_view key = reader->Key().substr(side.prefix.size());
      if (!first || key < *first) first = key;
    }
  }
}

}  // namespace

absl::StatusOr<std::optional<Range>> Divergence::From(const Bound& from) {
  const Bound end = Range::All().hi;
  for (Bound at = from; at < end;) {
    if (!stretch_ || at < stretch_->range.lo || stretch_->range.hi <= at) {
      BETR_ASSIGN_OR_RETURN(stretch_, Find(at));
    }
    if (!stretch_->alike) return Range{at, stretch_->range.hi};
    std::optional<std::string> first;
    FindFirst(stretch_->of_a, a_, {at, stretch_->range.hi}, first);
    FindFirst(stretch_->of_b, b_, {at, stretch_->range.hi}, first);
    if (first) return Range::Only(*first);
    at = stretch_->range.hi;
  }
  return std::nullopt;
}

// Steps down on both sides until they meet or end. Heights fall along a path, so only the side at the higher node can
// still reach the node of the other. That side steps; at equal heights both do.
absl::StatusOr<Divergence::Stretch> Divergence::Find(const Bound& at) const {
  Descent a = Begin(a_, at);
  Descent b = Begin(b_, at);
  bool alike = false;
  for (;;) {
    alike = a.AtEnd() || b.AtEnd() ? AtNothing(a) && AtNothing(b)
                                   : a.node() == b.node() && ToContent(a, a_) == ToContent(b, b_);
    if (alike || (a.AtEnd() && b.AtEnd())) break;
    bool steps_a = !a.AtEnd();
    bool steps_b = !b.AtEnd();
    if (steps_a && steps_b) {
      BETR_ASSIGN_OR_RETURN(const Height height_of_a, a.HeightOfNode());
      BETR_ASSIGN_OR_RETURN(const Height height_of_b, b.HeightOfNode());
      steps_a = height_of_a >= height_of_b;
      steps_b = height_of_b >= height_of_a;
    }
    BETR_RETURN_IF_ERROR(steps_a ? a.Step() : absl::OkStatus());
    BETR_RETURN_IF_ERROR(steps_b ? b.Step() : absl::OkStatus());
  }
  Stretch stretch{ShownContent(a, a_).Intersect(ShownContent(b, b_)), alike, a.TakeReaders(), b.TakeReaders()};
  Check(!stretch.range.Empty(), "a stretch makes progress");
  return stretch;
}

}  // namespace betr::dag
