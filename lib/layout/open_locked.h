// SPDX-License-Identifier: Apache-2.0
// Having what an image is in, or is to be made in, without others in the way.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "device/file_device.h"

namespace betr::layout {

// Opens what exists and takes its lock, without waiting: for writing the exclusive one, for reading the one that
// readers share. Nothing is written or looked at, so that there need not be an image yet. Errors: those of
// FileDevice::Open and Lock.
absl::StatusOr<std::unique_ptr<FileDevice>> OpenLocked(const std::string& path, FileDevice::Access access);

}  // namespace betr::layout
