// SPDX-License-Identifier: Apache-2.0
// Lost keys of one space, as pieces that do not overlap, and what later changes leave of them.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "store/lost_range.h"

namespace betr::store {

// One thread. Pieces carry along whatever else a LostRange says; their trees mean nothing here.
class LostKeys {
 public:
  // Takes the place of what was there. An empty range adds nothing. O(log n), and what it replaces; so it is below.
  void Set(LostRange piece);
  void Remove(const Range& range);
  // The key was put or erased since. Without `may_split` the piece only says that there is such a key.
  void Written(std::string_view key, bool may_split);

  // The pieces that lie in a range, cut to it, in ascending order.
  std::vector<LostRange> In(const Range& range) const;
  size_t size() const { return pieces_.size(); }

 private:
  using Pieces = std::map<Bound, LostRange>;  // by their lower bounds

  // The first piece that ends behind a bound.
  Pieces::const_iterator After(const Bound& bound) const;

  Pieces pieces_;
};

}  // namespace betr::store
