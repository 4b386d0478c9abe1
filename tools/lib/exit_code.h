// SPDX-License-Identifier: Apache-2.0
// The exit codes that scripts see. Manual pages carry the same table. fsck.betr has the mask of fsck(8) instead.
#pragma once

#include <absl/status/status.h>

#include <string>

namespace betr::tools {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,   // the operation failed: no such file, no space, a device error, ...
  kExitUsage = 2,    // the command line is wrong; nothing was done
  kExitRefused = 3,  // the image is in use, or something would be overwritten without -f; nothing was done
  kExitDamaged = 4,  // the image is damaged, or is not an image, or needs a newer betr
};

// Returns the exit code for an error met while working on an image: kExitDamaged for kDataLoss, else kExitFailed.
int ExitCodeOf(const absl::Status& status);

// The same for an error of opening an image. Also distinguishes "in use" and "not an image".
int ExitCodeOfOpening(const absl::Status& status);

// Returns the message, as a string that fmt knows. It has no code in front, since messages say why themselves.
std::string MessageOf(const absl::Status& status);

}  // namespace betr::tools
