// SPDX-License-Identifier: Apache-2.0
#include "fs/mount_image.h"

#include <utility>

#include "base/status.h"

namespace betr::fs {

absl::StatusOr<std::unique_ptr<FileSystem>> MountImage(std::unique_ptr<Store> store, const std::string& image,
                                                       const MountOptions& options) {
  absl::StatusOr<std::unique_ptr<FileSystem>> fs = FileSystem::Mount(std::move(store), options);
  if (absl::IsNotFound(fs.status())) return absl::InvalidArgumentError(image + ": holds no file system");
  return fs.ok() ? std::move(fs) : Annotate(fs.status(), image);
}

}  // namespace betr::fs
