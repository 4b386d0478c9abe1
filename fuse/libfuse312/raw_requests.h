// SPDX-License-Identifier: Apache-2.0
// Requests that libfuse's table has no entry for in the versions that are common: files without names (O_TMPFILE)
// and times of birth (statx). They are read and answered in the kernel's own format.
#pragma once

#include <span>

#include "server.h"

namespace betr::fuse {

// Answers the request in `buffer` and returns true if it is one of these; otherwise it is libfuse's. The answer is
// EACCES unless it `is_allowed`.
bool AnswerRawRequest(Server& server, fuse_session* session, std::span<const char> buffer, bool is_allowed);

// Answers any request with an error, before libfuse gets it.
void AnswerRawError(Server& server, fuse_session* session, std::span<const char> request, const absl::Status& status);

}  // namespace betr::fuse
