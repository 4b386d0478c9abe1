// SPDX-License-Identifier: Apache-2.0
// New images in files and on block devices, by path; with something in them before anybody else can open them.
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

// Store::CreateImage, if `fill` leaves the store empty. What it returns is returned; of a file that it could not fill
// nothing is left.
absl::Status CreateImage(const std::string& path, Bytes size, const FormatOptions& options, FillDevice fill);

// Store::FormatImage, likewise.
absl::Status FormatImage(const std::string& path, const FormatOptions& options, Store::Existing existing,
                         FillDevice fill);

}  // namespace betr::store
