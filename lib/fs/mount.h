// SPDX-License-Identifier: Apache-2.0
// Makes and mounts a file system on a store.
#pragma once

#include <memory>

#include "fs/core.h"

namespace betr::fs {

// As FileSystem::Format.
absl::Status FormatTrees(Store* store, const RootOptions& root);

// As FileSystem::Mount.
absl::StatusOr<std::unique_ptr<Core>> OpenCore(std::unique_ptr<Store> store, const MountOptions& options);

// Erases all orphans and what is left in scratch space, if there are any.
absl::Status ReclaimLeftovers(Core& core);

}  // namespace betr::fs
