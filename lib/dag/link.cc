// SPDX-License-Identifier: Apache-2.0
#include "dag/link.h"

#include "base/check.h"

namespace betr::dag {

std::string Link::Map(std::string_view key) const { return translation + std::string(key.substr(range.Lcp().size())); }

Bound Link::Map(const Bound& bound) const { return {translation + bound.bytes.substr(range.Lcp().size()), bound.past}; }

Bound Link::Unmap(const Bound& bound) const {
  return {std::string(range.Lcp()) + bound.bytes.substr(translation.size()), bound.past};
}

Link Link::Cut(const Range& part) const {
  Check(!part.Empty() && range.Covers(part), "a link is cut to a part of its range");
  Link cut{part, target, {}};
  if (!Null()) cut.translation = translation + std::string(part.Lcp().substr(range.Lcp().size()));
  return cut;
}

}  // namespace betr::dag
