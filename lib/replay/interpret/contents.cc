// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/contents.h"

#include "base/random.h"

namespace betr::replay {

Contents::Contents(uint64_t seed) {
  constexpr size_t kRun = 32;
  Random random(seed);
  pool_.reserve(2 * kMostContent.value);
  while (pool_.size() < 2 * kMostContent.value) {
    pool_ += random.String(kRun);
    pool_.append(kRun, static_cast<char>('a' + random.Uniform(16)));
  }
}

std::string_view Contents::At(NodeNumber node, uint64_t offset, size_t length) const {
  uint64_t state = node.value;
  const uint64_t begin = (SplitMix64(&state) + offset) % kMostContent.value;
  return std::string_view(pool_).substr(begin, length);
}

}  // namespace betr::replay
