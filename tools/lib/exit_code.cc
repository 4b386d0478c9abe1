// SPDX-License-Identifier: Apache-2.0
#include "exit_code.h"

namespace betr::tools {

int ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return kExitOk;
  return status.code() == absl::StatusCode::kDataLoss ? kExitDamaged : kExitFailed;
}

int ExitCodeOfOpening(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kFailedPrecondition:
      return kExitRefused;
    case absl::StatusCode::kInvalidArgument:  // no betr image
    case absl::StatusCode::kUnimplemented:    // features of a newer betr
      return kExitDamaged;
    default:
      return ExitCodeOf(status);
  }
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

}  // namespace betr::tools
