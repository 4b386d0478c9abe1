// SPDX-License-Identifier: Apache-2.0
// Answers to the kernel. Every request is answered once. If the caller was interrupted, the kernel no longer wants the
// answer. A reference that the answer carries is then given back.
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "libfuse.h"
#include "server.h"

namespace betr::fuse {

// Returns the server of a request. Must be called first in every request.
inline Server& ServerOf(fuse_req_t request) {
  Server& server = *static_cast<Server*>(fuse_req_userdata(request));
  EnterRequest(server);
  return server;
}

// Returns the errno value of what is answered to a caller, 0 for ok. Logs errors that are not the caller's mistake, and
// expects the caller again where the kernel tries once more.
int NoteError(Server& server, pid_t caller, const absl::Status& status, std::string_view what);

// Answers with an errno value, 0 for ok, after NoteError.
void ReplyStatus(fuse_req_t request, const absl::Status& status, std::string_view what);
void ReplyEntry(fuse_req_t request, const Entry& entry);
// Answers for a file that was created and is open.
void ReplyCreated(fuse_req_t request, const Entry& entry, fuse_file_info* info);
void ReplyAttributes(fuse_req_t request, const FileAttributes& attributes);

}  // namespace betr::fuse
