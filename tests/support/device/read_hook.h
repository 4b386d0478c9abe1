// SPDX-License-Identifier: Apache-2.0
// Does something, while it lives, once the program has called pread so many times. A program that needs this header has
// a pread of its own in place of the C library's: that of short_io.cc.
#pragma once

#include <functional>

namespace betr {

class ReadHook {
 public:
  // Calls `act` right after the nth pread from now on, once. `act` may call pread.
  ReadHook(int nth, std::function<void()> act);
  ~ReadHook();
  ReadHook(const ReadHook&) = delete;
  ReadHook& operator=(const ReadHook&) = delete;
};

// For that pread: a call of it has returned.
void CountRead();

}  // namespace betr
