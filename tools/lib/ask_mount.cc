// SPDX-License-Identifier: Apache-2.0
#include "ask_mount.h"

#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "betr/fs_error.h"
#include "betr/mount_ioctl.h"

namespace betr::tools {

absl::StatusOr<Json> AskMount(int descriptor, const std::string& path) {
  betr_stats stats{};
  if (ioctl(descriptor, BETR_IOC_STATS, &stats) != 0) {
    if (errno == ENOTTY || errno == EOPNOTSUPP) {
      return absl::FailedPreconditionError(path + ": not on a mounted betr image");
    }
    return ErrnoError(errno, path);
  }
  Json json = Json::parse(std::begin(stats.json), std::begin(stats.json) + strnlen(stats.json, sizeof stats.json),
                          nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return absl::DataLossError(path + ": what the mount says is no JSON document");
  return json;
}

}  // namespace betr::tools
