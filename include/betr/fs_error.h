// SPDX-License-Identifier: Apache-2.0
// Errors of the file system: absl::Status values that also know the errno of the system call that they stand for.
#pragma once

#include <absl/status/status.h>

#include <string_view>

namespace betr {

// A status for `error` (an errno value, not 0) whose message is "what: text of the errno", with `what` escaped if it is
// not UTF-8 without control characters. Its code is the nearest one of absl (ENOENT is kNotFound, ENOSPC
// kResourceExhausted, EROFS kFailedPrecondition, ENODATA kNotFound, ...).
absl::Status ErrnoError(int error, std::string_view what);

// What a system call has to return for `status`: 0 for ok; the errno that ErrnoError put in, also after Annotate;
// for a status of the layers below ENOSPC, EROFS, EIO or EUCLEAN by its code. Never negative.
int ToErrno(const absl::Status& status);

}  // namespace betr
