// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "cloner.h"
#include "libfuse.h"
#include "libfuse318/library_loop.h"
#include "new_file.h"
#include "reply.h"

namespace betr::fuse {
namespace {

constexpr const char* kRingSwitch = "/sys/module/fuse/parameters/enable_uring";

// O_TMPFILE.
void MakeUnnamedFile(fuse_req_t request, fuse_ino_t directory, mode_t mode, fuse_file_info* info) {
  const absl::StatusOr<Entry> entry = MakeUnnamed(ServerOf(request), *fuse_req_ctx(request), ToInode(directory), mode);
  if (!entry.ok()) return ReplyStatus(request, entry.status(), "tmpfile");
  ReplyCreated(request, *entry, info);
}

statx_timestamp ToTimestamp(const FileTime& time) {
  return {.tv_sec = time.seconds, .tv_nsec = time.nanoseconds, .__reserved = 0};
}

void GetExtendedAttributes(fuse_req_t request, fuse_ino_t node, int, int, fuse_file_info*) {
  const absl::StatusOr<FileAttributes> found = ServerOf(request).fs().GetAttributes(ToInode(node));
  if (!found.ok()) return ReplyStatus(request, found.status(), "statx");
  struct statx answer {};
  answer.stx_mask = STATX_BASIC_STATS | STATX_BTIME;
  answer.stx_blksize = static_cast<uint32_t>(kFileBlock.value);
  answer.stx_nlink = found->links;
  answer.stx_uid = found->uid;
  answer.stx_gid = found->gid;
  answer.stx_mode = static_cast<uint16_t>(found->mode());
  answer.stx_ino = found->inode_number;
  answer.stx_size = found->size;
  answer.stx_blocks = found->blocks;
  answer.stx_atime = ToTimestamp(found->accessed);
  answer.stx_btime = ToTimestamp(found->born);
  answer.stx_ctime = ToTimestamp(found->changed);
  answer.stx_mtime = ToTimestamp(found->modified);
  answer.stx_rdev_major = major(found->device);
  answer.stx_rdev_minor = minor(found->device);
  fuse_reply_statx(request, 0, &answer, kForever);
}

// A thread of libfuse while it has requests of ours.
class RequestThread {
 public:
  explicit RequestThread(Server* server) : server_(*server) {
    // At the end libfuse cancels the threads of its rings whatever they do, but wakes them too, which is enough.
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  }
  // Requests that came by a ring live in it, and libfuse takes it away once its thread has ended.
  ~RequestThread() { server_.cloner().WaitUntilIdle(); }
  RequestThread(const RequestThread&) = delete;
  RequestThread& operator=(const RequestThread&) = delete;

 private:
  Server& server_;
};

}  // namespace

absl::Status CheckIoUring() {
  char state = '-';
  if (!(std::ifstream(kRingSwitch) >> state)) {
    return absl::UnavailableError("this kernel cannot do it: Linux 6.14 and newer can");
  }
  if (state != 'Y') {
    return absl::UnavailableError(fmt::format("switched off in the kernel: root can write Y to {}", kRingSwitch));
  }
  io_uring_params parameters{};
  const auto ring = static_cast<int>(syscall(SYS_io_uring_setup, 1, &parameters));
  if (ring < 0) {
    return absl::UnavailableError(fmt::format("no ring can be had: {}", std::generic_category().message(errno)));
  }
  close(ring);
  return absl::OkStatus();
}

void AddVersionOperations(fuse_lowlevel_ops* ops) {
  ops->tmpfile = MakeUnnamedFile;
  ops->statx = GetExtendedAttributes;
}

absl::Status PrepareSession(fuse_session*) { return absl::OkStatus(); }

void AgreeOnPrivileges(fuse_conn_info* connection) { fuse_set_feature_flag(connection, FUSE_CAP_HANDLE_KILLPRIV_V2); }

bool IsMarkedToDrop(const fuse_file_info& info) { return info.kill_suidgid != 0; }

void EnterRequest(Server& server) { thread_local const RequestThread thread(&server); }

std::unique_ptr<SessionLoop> MakeSessionLoop(Server* server, fuse_session* session, std::chrono::microseconds) {
  return std::make_unique<LibraryLoop>(server, session);
}

}  // namespace betr::fuse
