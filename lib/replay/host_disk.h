// SPDX-License-Identifier: Apache-2.0
// The disks that a directory of the host is on, and what the kernel has counted of them since it began.
//
// ext4 and XFS say their block device with each file. Btrfs and FUSE give files a number that belongs to no device:
// there the mount has to tell. Of Btrfs these are all the devices of the file system; of fuseblk, the device that the
// kernel has opened for it; of mount.betr, the device that is the image, or those that the file with the image is on.
// What others name as their source nobody checks, so that nothing is said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/target.h"

namespace betr::replay {

struct HostMount {
  std::string type;    // "btrfs", "fuse.betr", ...
  std::string source;  // a device, an image, or only a name
};

// The mount with this number in the text of /proc/self/mountinfo; nothing if there is none.
std::optional<HostMount> FindMount(std::string_view mountinfo, uint64_t number);

// The folders in sysfs of the disks that an open file or directory is on; empty if that is not known for sure.
std::vector<std::string> FindHostDisks(int descriptor);

// What all of them have done, whoever wanted it; nothing if there are none, or one cannot be read.
std::optional<DeviceCounts> CountsOfDisks(const std::vector<std::string>& disks);

}  // namespace betr::replay
