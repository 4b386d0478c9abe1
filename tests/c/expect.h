// SPDX-License-Identifier: Apache-2.0
// For programs in C whose parts return 0, or the line of what was not so.
#pragma once

#define EXPECT(holds)              \
  do {                             \
    if (!(holds)) return __LINE__; \
  } while (0)

#define EXPECT_ZERO(part)       \
  do {                          \
    const int line = (part);    \
    if (line != 0) return line; \
  } while (0)
