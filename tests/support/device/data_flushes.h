// SPDX-License-Identifier: Apache-2.0
// Counts, while it lives, how often the whole program calls fdatasync, and on what. A program that needs this header
// has an fdatasync of its own in place of the C library's.
#pragma once

#include <string>

namespace betr {

class DataFlushes {
 public:
  DataFlushes();
  ~DataFlushes();
  DataFlushes(const DataFlushes&) = delete;
  DataFlushes& operator=(const DataFlushes&) = delete;

  // Returns the calls on that file since it was last called. Files of different devices may be mistaken for each other.
  int TakeCount(const std::string& path);
};

}  // namespace betr
