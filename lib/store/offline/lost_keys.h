// SPDX-License-Identifier: Apache-2.0
// Lost keys of one key space, as pieces that do not overlap, and what later changes leave of them.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "store/offline/lost_range.h"

namespace betr::store {

// Used by one thread. Pieces carry along whatever else a LostRange says. Their trees mean nothing here.
class LostKeys {
 public:
  // Puts a piece in the place of what was there. An empty range adds nothing. Cost, also of the next two: O(log n), and
  // what is replaced.
  void Set(LostRange piece);
  void Remove(const Range& range);
  // Notes that the key was put or erased since. Without `may_split` the piece is not split: it only says that there is
  // such a key.
  void Written(std::string_view key, bool may_split);

  // The parts of pieces that lie in a range, in ascending order.
  std::vector<LostRange> In(const Range& range) const;
  size_t size() const { return pieces_.size(); }

 private:
  using Pieces = std::map<Bound, LostRange>;  // by their lower bounds

  // The first piece that ends behind a bound.
  Pieces::const_iterator After(const Bound& bound) const;

  Pieces pieces_;
};

}  // namespace betr::store
