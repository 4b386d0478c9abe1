// SPDX-License-Identifier: Apache-2.0
// Makes the bytes that are written in place of those that a trace does not have. They are the same for the same file
// and offset in every replay. Half of them are random, so they compress about as well as files do. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "betr/units.h"
#include "replay/interpret/name_space.h"

namespace betr::replay {

// The most that At returns at once.
inline constexpr Bytes kMostContent = MiB(1);

class Contents {
 public:
  explicit Contents(uint64_t seed);

  // Returns the content at an offset, valid as long as this. Requires: length <= kMostContent.
  std::string_view At(NodeNumber node, uint64_t offset, size_t length) const;

 private:
  std::string pool_;
};

}  // namespace betr::replay
