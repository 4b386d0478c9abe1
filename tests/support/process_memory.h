// SPDX-License-Identifier: Apache-2.0
// What the kernel says of this process's memory.
#pragma once

#include "betr/units.h"

namespace betr::test {

// Memory use now, and its maximum since the last call of ForgetPeakMemory.
Bytes ResidentMemory();
Bytes PeakMemory();
void ForgetPeakMemory();

// A sanitizer's own memory must not count.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kHasShadowMemory = true;
#elif defined(__has_feature)
inline constexpr bool kHasShadowMemory = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kHasShadowMemory = false;
#endif

}  // namespace betr::test
