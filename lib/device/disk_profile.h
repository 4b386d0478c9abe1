// SPDX-License-Identifier: Apache-2.0
// The figures of a disk with a platter, for disk_model.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace betr {

struct DiskProfile {
  std::string_view name;
  std::chrono::nanoseconds least_seek{0};    // to the next track
  std::chrono::nanoseconds average_seek{0};  // between two places of the disk, any two being as likely
  std::chrono::nanoseconds revolution{0};
  std::chrono::nanoseconds command{0};  // what a request costs besides: interface, firmware
  uint64_t bytes_per_second = 0;
  // A request that begins at most this far behind the end of the one before needs no positioning.
  Bytes track_gap{0};
  // The cache of reads. It holds what was read, what passed under the head before that, and what passes while nothing
  // else is to be done.
  size_t read_segments = 0;
  Bytes read_segment{0};
  // The cache of writes. They are done in the order of the elevator when it is full, idle, or flushed.
  size_t write_queue = 0;
  Bytes write_cache{0};
};

// Finds a profile by name. "hdd-7200" is a disk of 500 GB or so as papers on file systems use it. Null if there is no
// such name.
const DiskProfile* FindDiskProfile(std::string_view name);

}  // namespace betr
