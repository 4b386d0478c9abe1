// SPDX-License-Identifier: Apache-2.0
// What depends on the version of libfuse that betr is built with. Each of two folders implements all of it:
//
//   - libfuse312, for 3.12 and later. We read requests ourselves. This library cannot agree with the kernel about
//     set-id bits, and does not know files without names or birth times.
//   - libfuse318, for 3.18.3 and later. The library knows all that, and forbids changing what it sends. Its own loop
//     can receive requests by io_uring.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <memory>

#include "server.h"
#include "session_loop.h"

namespace betr::fuse {

// Ok if requests can come by io_uring here. Otherwise kUnavailable; the message says what is missing.
absl::Status CheckIoUring();

// Adds the operations that only this version's table has.
void AddVersionOperations(fuse_lowlevel_ops* ops);

// Prepares a session that was just mounted, before its first request. Errors: kUnavailable.
absl::Status PrepareSession(fuse_session* session);

// Agrees with the kernel, at the start of a session, that we clear set-id bits (fuse/privileges.h).
void AgreeOnPrivileges(fuse_conn_info* connection);
// Whether the request has to clear them first. Only for requests whose set-id bits the loop has not cleared already.
bool IsMarkedToDrop(const fuse_file_info& info);

// Must be called in each request, in the thread that handles it.
void EnterRequest(Server& server);

// Server and session must outlive the loop. `look` is how long threads look for the next request before they sleep. It
// matters only if the loop is ours.
std::unique_ptr<SessionLoop> MakeSessionLoop(Server* server, fuse_session* session, std::chrono::microseconds look);

}  // namespace betr::fuse
