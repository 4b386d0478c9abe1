// SPDX-License-Identifier: Apache-2.0
// Makes images in files and on block devices, by path. Something can be put into them before anybody else can open
// them.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <memory>
#include <string>

#include "betr/store.h"
#include "device/block_device.h"

namespace betr::store {

// Is given the device, locked, with an empty store on it.
using FillDevice = absl::FunctionRef<absl::Status(std::unique_ptr<BlockDevice> device)>;

// As Store::CreateImage, but `fill` may put something into the store. An error of `fill` is returned, and then nothing
// is left of the file.
absl::Status CreateImage(const std::string& path, Bytes size, const FormatOptions& options, FillDevice fill);

// As Store::FormatImage, but `fill` may put something into the store. An error of `fill` is returned.
absl::Status FormatImage(const std::string& path, const FormatOptions& options, Store::Existing existing,
                         FillDevice fill);

}  // namespace betr::store
