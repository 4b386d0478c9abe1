// SPDX-License-Identifier: Apache-2.0
// Answers to the kernel. Every request is answered once. An answer that carries a reference gives it back when the
// kernel no longer wants it (the caller was interrupted).
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "libfuse.h"
#include "server.h"

namespace betr::fuse {

// To be called first in every request.
inline Server& ServerOf(fuse_req_t request) {
  Server& server = *static_cast<Server*>(fuse_req_userdata(request));
  EnterRequest(server);
  return server;
}

// 0 for ok. What is not the caller's mistake is also logged.
void ReplyStatus(fuse_req_t request, const absl::Status& status, std::string_view what);
void ReplyEntry(fuse_req_t request, const Entry& entry);
// A file that was created and is open.
void ReplyCreated(fuse_req_t request, const Entry& entry, fuse_file_info* info);
void ReplyAttributes(fuse_req_t request, const FileAttributes& attributes);

}  // namespace betr::fuse
