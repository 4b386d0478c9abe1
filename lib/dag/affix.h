// SPDX-License-Identifier: Apache-2.0
// An affix relates two key spaces: a stored key `strip + x` reads as `prepend + x`. It is what is left of an edge's
// translation if only keys matter. Affixes compose to affixes, so lifting a whole node changes one affix per block and
// never rewrites keys.
#pragma once

#include <string>
#include <string_view>

#include "dag/bound.h"

namespace betr::dag {

struct Affix {
  std::string strip;    // what every stored key begins with
  std::string prepend;  // what replaces it

  friend bool operator==(const Affix&, const Affix&) = default;
  bool Identity() const { return strip.empty() && prepend.empty(); }

  // Requires: `stored` begins with strip.
  void Read(std::string_view stored, std::string& out) const {
    out.assign(prepend);
    out.append(stored.substr(strip.size()));
  }
  // The stored position of a position that we read. Positions outside the image of the affix go to its nearest end.
  Bound Store(const Bound& bound) const;
  // How a stored position reads. Requires: inside Range::Prefix(strip).
  Bound Read(const Bound& bound) const { return {prepend + bound.bytes.substr(strip.size()), bound.past}; }

  // The affix of reading through this one and then replacing the leading `from` by `to`.
  // Requires: one of `from` and `prepend` is a prefix of the other.
  Affix Then(std::string_view from, std::string_view to) const;

  // This affix reads keys of some node in another space. Makes it read, in that space, the keys of a child whose link
  // replaces `lifted` by `translation`.
  void Descend(std::string_view lifted, std::string_view translation);
};

}  // namespace betr::dag
