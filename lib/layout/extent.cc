// SPDX-License-Identifier: Apache-2.0
#include "layout/extent.h"

#include <fmt/format.h>

namespace betr::layout {

std::string ToString(const ExtentAddress& extent) {
  return fmt::format("extent of {} {} {} unit {}", extent.units, extent.units == 1 ? "unit" : "units",
                     extent.scattered ? "scattered by the map at" : "at", extent.start);
}

}  // namespace betr::layout
