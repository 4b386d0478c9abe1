// SPDX-License-Identifier: Apache-2.0
// What depends on the version of libfuse that betr is built with. Each of the two folders has all of it:
//
//   libfuse312, for 3.12 and later: we read requests ourselves, because the library cannot agree with the kernel about
//     set-id bits, and does not know files without names nor times of birth.
//   libfuse318, for 3.18.3 and later: the library knows all that and forbids changing what it sends; its own loop has
//     requests come by io_uring.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <memory>

#include "server.h"
#include "session_loop.h"

namespace betr::fuse {

// Ok if requests can come by io_uring here; otherwise kUnavailable says what is missing.
absl::Status CheckIoUring();

// Puts in what only this version's table has.
void AddVersionOperations(fuse_lowlevel_ops* ops);

// A session that was just mounted, before its first request. kUnavailable.
absl::Status PrepareSession(fuse_session* session);

// At the start of a session: set-id bits are ours to clear (fuse/privileges.h).
void AgreeOnPrivileges(fuse_conn_info* connection);
// Whether the request has to clear them first. Only for what the loop has not looked after already.
bool IsMarkedToDrop(const fuse_file_info& info);

// To be called in each request, in the thread that has it.
void EnterRequest(Server& server);

// Both outlive the loop. `look`: how long threads look for the next request before they sleep, if the loop is ours.
std::unique_ptr<SessionLoop> MakeSessionLoop(Server* server, fuse_session* session, std::chrono::microseconds look);

}  // namespace betr::fuse
