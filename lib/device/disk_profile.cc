// SPDX-License-Identifier: Apache-2.0
#include "device/disk_profile.h"

namespace betr {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr DiskProfile kProfiles[] = {
    {.name = "hdd-7200",
     .least_seek = microseconds(800),
     .average_seek = microseconds(8500),
     .revolution = nanoseconds(8'333'333),
     .command = microseconds(150),
     .bytes_per_second = 125'000'000,
     .track_gap = KiB(64),
     .read_segments = 16,
     .read_segment = MiB(2),
     .write_queue = 32,
     .write_cache = MiB(32)},
};

}  // namespace

const DiskProfile* FindDiskProfile(std::string_view name) {
  for (const DiskProfile& profile : kProfiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

}  // namespace betr
