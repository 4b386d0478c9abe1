// SPDX-License-Identifier: Apache-2.0
// Finds the disks that a directory of the host is on, and what the kernel has counted of them since it started.
//
// ext4 and XFS name their block device with each file. Btrfs and FUSE give files a number that belongs to no device, so
// the mount has to tell. For Btrfs the disks are all devices of the file system. For fuseblk it is the device that the
// kernel opened for it. For mount.betr it is the device that is the image, or the disks of the file that holds the
// image. Nobody checks what other file systems name as their source, so for these nothing is returned.
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

// Finds the mount with this number in the text of /proc/self/mountinfo; nothing if there is none.
std::optional<HostMount> FindMount(std::string_view mountinfo, uint64_t number);

// Returns the folders in sysfs of the disks that an open file or directory is on. Empty if that is not known for sure.
std::vector<std::string> FindHostDisks(int descriptor);

// Returns what all of them have done, whoever asked for it. Nothing if there are none, or if one cannot be read.
std::optional<DeviceCounts> CountsOfDisks(const std::vector<std::string>& disks);

}  // namespace betr::replay
