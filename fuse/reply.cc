// SPDX-License-Identifier: Apache-2.0
#include "reply.h"

#include <fmt/format.h>

#include <cerrno>

#include "betr/fs_error.h"

namespace betr::fuse {

int NoteError(Server& server, pid_t caller, const absl::Status& status, std::string_view what) {
  const int error = ToErrno(status);
  if (error == ESTALE) server.retries().Expect(caller);
  if (error == EIO || error == EUCLEAN) server.log().Error(what, status);
  return error;
}

void ReplyStatus(fuse_req_t request, const absl::Status& status, std::string_view what) {
  fuse_reply_err(request, NoteError(ServerOf(request), fuse_req_ctx(request)->pid, status, what));
}

void ReplyEntry(fuse_req_t request, const Entry& entry) {
  Server& server = ServerOf(request);
  const fuse_entry_param param = server.ToParam(entry);
  if (fuse_reply_entry(request, &param) != 0) server.fs().Forget(entry.inode);
}

void ReplyCreated(fuse_req_t request, const Entry& entry, fuse_file_info* info) {
  Server& server = ServerOf(request);
  info->fh = reinterpret_cast<uint64_t>(server.files().Add(entry.inode, true));
  info->keep_cache = 1;
  const fuse_entry_param param = server.ToParam(entry);
  if (fuse_reply_create(request, &param, info) == 0) return;
  server.fs().Close(server.files().Remove(HandleOf(info)));
  server.fs().Forget(entry.inode);
}

void ReplyAttributes(fuse_req_t request, const FileAttributes& attributes) {
  const struct stat stat = ToStat(attributes);
  fuse_reply_attr(request, &stat, kForever);
}

}  // namespace betr::fuse
