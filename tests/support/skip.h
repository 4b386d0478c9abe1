// SPDX-License-Identifier: Apache-2.0
// Ends a test case that this machine cannot run, unless an assertion has failed. CTest counts the test case as skipped
// because of the exit code of the program, and the summary gives the reason that is printed.
#pragma once

#include <iostream>

namespace betr {

// The program will exit with 77 if this is the only test case that it runs, and nothing fails.
void MarkSkipped();

}  // namespace betr

#define BETR_SKIP(reason)                              \
  do {                                                 \
    std::cout << "skipped: " << (reason) << std::endl; \
    ::betr::MarkSkipped();                             \
    return;                                            \
  } while (false)
