// SPDX-License-Identifier: Apache-2.0
// What errno means to a store, in one place: for implementations of devices.
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "base/units.h"

namespace betr {

// "NAME: write of 4096 bytes at 8192: No space left on device". A refusal (read-only, not permitted) is
// kFailedPrecondition, anything else kUnavailable. So is a host without space for a sparse image. It is not
// kResourceExhausted: a store says that of its own space, and knows how to go on from it.
absl::Status TransferError(std::string_view name, std::string_view operation, Bytes offset, Bytes length, int error);

// "NAME: open: No such file or directory", for what concerns the device as a whole. Also kNotFound, kAlreadyExists.
absl::Status DeviceError(std::string_view name, std::string_view operation, int error);

// kFailedPrecondition with this message: somebody else's lock is in the way. Trying again later may help.
absl::Status InUseError(std::string_view message);
// Whether it is one of these, also after Annotate.
bool IsInUse(const absl::Status& status);

// kFailedPrecondition with this message: opening for reading only may be permitted.
absl::Status WriteProtectedError(std::string_view message);
// Whether it is one of these, also after Annotate.
bool IsWriteProtected(const absl::Status& status);

// Checks a path. Errors: kInvalidArgument if it has a zero byte, since the system would take what is before that for
// all of it.
absl::Status CheckPath(std::string_view path);

}  // namespace betr
