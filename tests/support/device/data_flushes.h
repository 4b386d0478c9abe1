// SPDX-License-Identifier: Apache-2.0
// While one of these lives, it is known how often the whole program has called fdatasync, and of what. A program that
// needs this header has an fdatasync of its own in place of the C library's.
#pragma once

#include <string>

namespace betr {

class DataFlushes {
 public:
  DataFlushes();
  ~DataFlushes();
  DataFlushes(const DataFlushes&) = delete;
  DataFlushes& operator=(const DataFlushes&) = delete;

  // Of that file, since the last time that somebody asked. Files of different devices may be taken for each other.
  int TakeCount(const std::string& path);
};

}  // namespace betr
