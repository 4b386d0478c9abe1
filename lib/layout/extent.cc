// SPDX-License-Identifier: Apache-2.0
#include "layout/extent.h"

#include <fmt/format.h>

namespace betr::layout {

std::string ToString(const ExtentAddress& extent) {
  return fmt::format("extent of {} {} at unit {}", extent.units, extent.units == 1 ? "unit" : "units", extent.start);
}

}  // namespace betr::layout
