// SPDX-License-Identifier: Apache-2.0
// What is agreed at the start of a session, and what concerns the whole file system.
#include <sys/statvfs.h>

#include "libfuse.h"
#include "operations.h"
#include "reply.h"

namespace betr::fuse {
namespace {

constexpr unsigned kRequestSize = 1 << 20;  // bytes: the most that the kernel puts into one by default

void Want(fuse_conn_info* connection, unsigned capabilities) { connection->want |= connection->capable & capabilities; }

void Init(void* data, fuse_conn_info* connection) {
  const ServerSettings& settings = static_cast<const Server*>(data)->settings();
  // We apply the umask, because a default ACL replaces it.
  Want(connection, FUSE_CAP_READDIRPLUS | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_IOCTL_DIR |
                       FUSE_CAP_ASYNC_READ | FUSE_CAP_DONT_MASK | FUSE_CAP_CACHE_SYMLINKS);
  Want(connection, FUSE_CAP_EXPLICIT_INVAL_DATA);
  AgreeOnPrivileges(connection);
  if (settings.acl) Want(connection, FUSE_CAP_POSIX_ACL);
  if (settings.writeback) Want(connection, FUSE_CAP_WRITEBACK_CACHE);
  // Listings always come with attributes. No content is dropped because a time changed, since only the kernel's own
  // writes change it. A file that is emptied by opening it is emptied by a request of its own. The kernel sends OPEN
  // without the inode's lock, so what others wrote between OPEN and its own emptying would be there without being seen.
  // After an asynchronous direct write, the kernel would keep pages that others read in the meantime.
  connection->want &=
      ~static_cast<unsigned>(FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_ATOMIC_O_TRUNC |
                             FUSE_CAP_ASYNC_DIO | FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE);
  connection->max_write = kRequestSize;
  connection->max_readahead = kRequestSize;
  connection->time_gran = 1;
}

void StatFs(fuse_req_t request, fuse_ino_t) {
  const FileSystemSpace space = ServerOf(request).fs().Space();
  struct statvfs answer {};
  answer.f_bsize = answer.f_frsize = kFileBlock.value;
  answer.f_blocks = space.total.value / kFileBlock.value;
  answer.f_bfree = space.free.value / kFileBlock.value;
  answer.f_bavail = space.available.value / kFileBlock.value;
  answer.f_namemax = kMaxNameSize;
  fuse_reply_statfs(request, &answer);
}

}  // namespace

void AddSessionOperations(fuse_lowlevel_ops* ops) {
  ops->init = Init;
  ops->statfs = StatFs;
}

}  // namespace betr::fuse
