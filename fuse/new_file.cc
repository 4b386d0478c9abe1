// SPDX-License-Identifier: Apache-2.0
#include "new_file.h"

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "acl.h"
#include "base/status.h"
#include "reply.h"

namespace betr::fuse {
namespace {

// Gives the file its mode and ACLs: from the default ACL of the directory or, if it has none, from the umask.
absl::Status Inherit(Server& server, InodeId directory, uint32_t umask, NewFile* file) {
  const uint32_t mode = std::exchange(file->permissions, file->permissions & ~umask);
  if (!server.settings().acl) return absl::OkStatus();
  const absl::StatusOr<std::string> inherited = server.fs().GetXattr(directory, kDefaultAcl);
  if (!inherited.ok()) return ToErrno(inherited.status()) == ENODATA ? absl::OkStatus() : inherited.status();
  BETR_ASSIGN_OR_RETURN(Acl acl, Acl::Decode(*inherited));
  file->permissions = acl.Narrow(mode);
  if (!acl.IsMode()) file->xattrs.emplace_back(kAccessAcl, acl.Encode());
  if (file->type == FileType::kDirectory) file->xattrs.emplace_back(kDefaultAcl, *inherited);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Entry> MakeFile(fuse_req_t request, InodeId directory, const char* name, uint32_t mode,
                               uint64_t device) {
  Server& server = ServerOf(request);
  const fuse_ctx* const caller = fuse_req_ctx(request);
  const std::optional<FileType> type = TypeOfMode(mode);
  if (!type || *type == FileType::kSymlink) return ErrnoError(EINVAL, "type of a new file");
  NewFile file{.type = *type, .permissions = mode & 07777, .uid = caller->uid, .gid = caller->gid, .device = device};
  BETR_RETURN_IF_ERROR(Inherit(server, directory, caller->umask, &file));
  return server.fs().Create(directory, name, file);
}

absl::StatusOr<Entry> MakeUnnamed(Server& server, const fuse_ctx& caller, InodeId directory, uint32_t mode) {
  NewFile file{.type = FileType::kRegular, .permissions = mode & 07777, .uid = caller.uid, .gid = caller.gid};
  BETR_RETURN_IF_ERROR(Inherit(server, directory, caller.umask, &file));
  BETR_ASSIGN_OR_RETURN(const Entry entry, server.fs().CreateUnnamed(directory, file));
  // One reference is for the open file, the other one for the caller.
  BETR_RETURN_IF_ERROR(server.fs().Refer(entry.inode));
  return entry;
}

}  // namespace betr::fuse
