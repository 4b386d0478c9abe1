// SPDX-License-Identifier: Apache-2.0
#include "replay/replayer.h"

namespace betr::replay {

std::string PathOf(const Operation& operation, const NameSpace& space) {
  const Place& place = operation.place;
  if (place.parent != NodeNumber{} && space.Has(place.parent)) return space.PathOf(place);
  return space.AnyPathOf(place.node);
}

void Replayer::Perform(const Operation& operation) {
  const std::string what = meter_.Perform(operation);
  // A path may take long to find.
  if (!what.empty() && meter_.WantsSamples()) meter_.AddSample(operation.line, what, PathOf(operation, space_));
}

}  // namespace betr::replay
