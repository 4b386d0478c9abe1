// SPDX-License-Identifier: Apache-2.0
// Records, while it lives, the directories on which the whole program calls fsync. A program that needs this header has
// an fsync of its own in place of the C library's.
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

  // Returns their real paths, in order.
  std::vector<std::string> Paths() const;
  // Makes them fail with this errno from now on. They are then not done.
  void Fail(int error);
  // Makes a signal interrupt every other call of fsync from now on, beginning with the next. That includes calls on
  // what is not a directory.
  void Interrupt();
};

}  // namespace betr
