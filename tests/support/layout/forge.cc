// SPDX-License-Identifier: Apache-2.0
#include "support/layout/forge.h"

#include <algorithm>

namespace betr::layout {

void ForEachDamage(Random& random, const std::string& bytes, size_t from, size_t to,
                   const std::function<void(const std::string&)>& check) {
  std::string damaged = bytes;
  for (size_t i = from; i < std::min(to, bytes.size()); ++i) {
    const char change = static_cast<char>(random.OneIn(2) ? 1 << random.Uniform(8) : random.Between(1, 255));
    damaged[i] = static_cast<char>(damaged[i] ^ change);
    check(damaged);
    damaged[i] = bytes[i];
  }
}

}  // namespace betr::layout
