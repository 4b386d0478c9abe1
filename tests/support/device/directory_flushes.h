// SPDX-License-Identifier: Apache-2.0
// While one of these lives, it is known of which directories the whole program has called fsync. A program that needs
// this header has an fsync of its own in place of the C library's.
#pragma once

#include <string>
#include <vector>

namespace betr {

class DirectoryFlushes {
 public:
  DirectoryFlushes();
  ~DirectoryFlushes();
  DirectoryFlushes(const DirectoryFlushes&) = delete;
  DirectoryFlushes& operator=(const DirectoryFlushes&) = delete;

  // Real paths, in order.
  std::vector<std::string> Paths() const;
  // From now on they fail with this errno, and are not done.
  void Fail(int error);
  // From now on every other call of fsync is interrupted by a signal, the next one first, also of what is no directory.
  void Interrupt();
};

}  // namespace betr
