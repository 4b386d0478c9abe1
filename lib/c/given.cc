// SPDX-License-Identifier: Apache-2.0
#include "c/given.h"

#include <absl/strings/str_cat.h>

namespace betr::c {

Fault FaultOf(const betr_bound& bound, const char* argument) {
  if (bound.side != BETR_AT && bound.side != BETR_PAST) return {argument, "is neither BETR_AT nor BETR_PAST"};
  return FaultOf(bound.data, bound.size, argument);
}

Fault FaultOf(const betr_range* range) {
  if (range == nullptr) return {};
  const Fault fault = FaultOf(range->lo, "range.lo");
  return fault.why != nullptr ? fault : FaultOf(range->hi, "range.hi");
}

absl::Status Check(std::initializer_list<Fault> faults) {
  for (const Fault& fault : faults) {
    if (fault.why != nullptr) return absl::InvalidArgumentError(absl::StrCat(fault.argument, ": ", fault.why));
  }
  return absl::OkStatus();
}

Bound BoundOf(const betr_bound& bound) {
  return {std::string(BytesOf(bound.data, bound.size)), bound.side == BETR_PAST};
}

Range RangeOf(const betr_range* range) {
  return range != nullptr ? Range{BoundOf(range->lo), BoundOf(range->hi)} : Range::All();
}

}  // namespace betr::c
