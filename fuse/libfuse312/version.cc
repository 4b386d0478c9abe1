// SPDX-License-Identifier: Apache-2.0
#include <sys/uio.h>
#include <unistd.h>

#include "libfuse.h"
#include "libfuse312/own_loop.h"
#include "libfuse312/privilege_marks.h"

namespace betr::fuse {
namespace {

// As libfuse does by itself, but for what is agreed at the start.
ssize_t Send(int descriptor, iovec* parts, int count, void*) {
  TakeOffer({parts, static_cast<size_t>(count)});
  return writev(descriptor, parts, count);
}

ssize_t Receive(int descriptor, void* buffer, size_t size, void*) { return read(descriptor, buffer, size); }

}  // namespace

absl::Status CheckIoUring() {
  return absl::UnavailableError("this mount.betr was built with a libfuse that cannot do it: 3.18.3 or newer can");
}

void AddVersionOperations(fuse_lowlevel_ops*) {}

absl::Status PrepareSession(fuse_session* session) {
  const fuse_custom_io io{.writev = Send, .read = Receive, .splice_receive = nullptr, .splice_send = nullptr};
  if (fuse_session_custom_io(session, &io, fuse_session_fd(session)) == 0) return absl::OkStatus();
  return absl::UnavailableError("libfuse refuses our way of answering");
}

void AgreeOnPrivileges(fuse_conn_info*) {}

bool IsMarkedToDrop(const fuse_file_info&) { return false; }

void EnterRequest(Server&) {}

std::unique_ptr<SessionLoop> MakeSessionLoop(Server* server, fuse_session* session, std::chrono::microseconds look) {
  return std::make_unique<OwnLoop>(server, session, look);
}

}  // namespace betr::fuse
