// SPDX-License-Identifier: Apache-2.0
// Mounts the store of an image, with errors that name the image.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "betr/filesystem.h"

namespace betr::fs {

// As FileSystem::Mount, but kInvalidArgument if the store holds no file system.
absl::StatusOr<std::unique_ptr<FileSystem>> MountImage(std::unique_ptr<Store> store, const std::string& image,
                                                       const MountOptions& options);

}  // namespace betr::fs
