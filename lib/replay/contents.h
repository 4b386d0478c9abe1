// SPDX-License-Identifier: Apache-2.0
// What is written in place of the bytes that a trace does not have: the same for the same file and offset in every
// replay, half of it random, so that it compresses about as files do. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "betr/units.h"
#include "replay/name_space.h"

namespace betr::replay {

// At most so much at once.
inline constexpr Bytes kMostContent = MiB(1);

class Contents {
 public:
  explicit Contents(uint64_t seed);

  // Requires: length <= kMostContent. Valid as long as this.
  std::string_view At(NodeNumber node, uint64_t offset, size_t length) const;

 private:
  std::string pool_;
};

}  // namespace betr::replay
