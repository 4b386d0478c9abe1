// SPDX-License-Identifier: Apache-2.0
// What open(2) makes, shared by dup, fork and mappings.
#pragma once

#include <cstdint>
#include <memory>

#include "replay/interpret/operation.h"

namespace betr::replay {

struct OpenDescription {
  NodeNumber node{};
  FileNumber file{};
  uint32_t flags = 0;
  uint64_t position = 0;
  bool is_position_known = true;  // false: it was open before the trace, and nothing has shown yet where it stands
  bool has_listed = false;        // since the last rewind
};
using DescriptionPointer = std::shared_ptr<OpenDescription>;

}  // namespace betr::replay
