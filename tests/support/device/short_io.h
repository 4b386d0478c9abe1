// SPDX-License-Identifier: Apache-2.0
// Makes pread and pwrite of the whole program, while it lives, do what the manual allows. They transfer less than they
// were asked for, but at least one byte; now and then they fail with EINTR and transfer nothing. A program that needs
// this header has a pread and a pwrite of its own in place of the C library's.
#pragma once

#include <cstdint>

namespace betr {

class ShortIo {
 public:
  explicit ShortIo(uint64_t seed);
  ~ShortIo();
  ShortIo(const ShortIo&) = delete;
  ShortIo& operator=(const ShortIo&) = delete;

  // Calls that did less than they were asked for, and those that were interrupted.
  uint64_t Short() const;
  uint64_t Interrupted() const;
};

}  // namespace betr
