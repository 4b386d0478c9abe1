// SPDX-License-Identifier: Apache-2.0
// Ends a test case that this machine cannot run. Must come before the first assertion. CTest counts the test case as
// skipped because of the line that is printed.
#pragma once

#include <iostream>

#define BETR_SKIP(reason)                              \
  do {                                                 \
    std::cout << "skipped: " << (reason) << std::endl; \
    return;                                            \
  } while (false)
