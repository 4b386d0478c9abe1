// SPDX-License-Identifier: Apache-2.0
// What an image may be made with. include/betr/options.h states the same limits to callers.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace betr::layout {

inline constexpr Bytes kMinNodeSize{512};
inline constexpr Bytes kMaxNodeSize = MiB(16);
inline constexpr Bytes kMinBasementSize{64};  // and at most the node size
inline constexpr uint32_t kMinFanout = 4;
inline constexpr uint32_t kMaxFanout = 256;
inline constexpr Bytes kMinLogSize = KiB(64);
inline constexpr BasisPoints kMaxReserve{5'000};

}  // namespace betr::layout
