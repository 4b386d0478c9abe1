// SPDX-License-Identifier: Apache-2.0
// Errors of the file system: absl::Status values that also carry the errno that a system call would set.
#pragma once

#include <absl/status/status.h>

#include <string_view>

namespace betr {

// Returns a status for the errno value `error`, which is not 0. Its message is "what: text of the errno"; `what` is
// escaped unless it is UTF-8 without control characters. Its code is the nearest one of absl: ENOENT and ENODATA are
// kNotFound, ENOSPC is kResourceExhausted, EROFS is kFailedPrecondition, and so on.
absl::Status ErrnoError(int error, std::string_view what);

// Returns the errno that a system call has to report for `status`. It is 0 for ok, and never negative. It is the errno
// that ErrnoError put in, also after Annotate. For a status of the layers below it depends on the code: ENOSPC,
// EROFS (also for an image that is in use), EUCLEAN, EINVAL, ENOENT, EEXIST or EOPNOTSUPP, and EIO for all others.
int ToErrno(const absl::Status& status);

}  // namespace betr
