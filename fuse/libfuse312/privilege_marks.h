// SPDX-License-Identifier: Apache-2.0
// Set-id bits (fuse/privileges.h) with a libfuse that has neither the agreement with the kernel nor the marks of
// requests: both are done on the raw bytes.
#pragma once

#include <sys/uio.h>

#include <span>

#include "server.h"

namespace betr::fuse {

// Every request, before it is handled: remembers, for this thread, whether the kernel offers the agreement.
void SeeOffer(std::span<const char> request);
// Every answer, before it is sent, in the request's thread: takes the offer.
void TakeOffer(std::span<const iovec> answer);

// Clears what a raw request is marked to clear. To be called before it is handled. After an error it must fail with it.
absl::Status DropMarkedPrivileges(FileSystem& fs, fuse_session* session, std::span<const char> request);

}  // namespace betr::fuse
