// SPDX-License-Identifier: Apache-2.0
#include "dag/affix.h"

#include "base/check.h"

namespace betr::dag {

Bound Affix::Store(const Bound& bound) const {
  const Range image = Range::Prefix(prepend);
  if (bound <= image.lo) return Bound::At(strip);
  if (bound >= image.hi) return Bound::Past(strip);
  return {strip + bound.bytes.substr(prepend.size()), bound.past};
}

Affix Affix::Then(std::string_view from, std::string_view to) const {
  if (from.size() <= prepend.size()) {
    Check(std::string_view(prepend).starts_with(from), "a replaced prefix is a prefix of what is read");
    return {strip, std::string(to) + prepend.substr(from.size())};
  }
  Check(from.starts_with(prepend), "a replaced prefix begins with what is read");
  return {strip + std::string(from.substr(prepend.size())), std::string(to)};
}

void Affix::Descend(std::string_view lifted, std::string_view translation) {
  if (lifted.size() >= strip.size()) {
    prepend.append(lifted.substr(strip.size()));
    strip = translation;
  } else {
    strip = std::string(translation) + strip.substr(lifted.size());
  }
}

}  // namespace betr::dag
