// SPDX-License-Identifier: Apache-2.0
#include "new_file.h"

#include <cerrno>

#include "acl.h"
#include "base/status.h"
#include "reply.h"

namespace betr::fuse {
namespace {

// The mode that the file begins with, and what its ACLs are to be.
struct Inheritance {
  uint32_t permissions;
  std::string access_acl;   // empty: none
  std::string default_acl;  // of a directory
};

absl::StatusOr<Inheritance> Inherit(Server& server, InodeId directory, uint32_t mode, uint32_t umask) {
  const uint32_t permissions = mode & 07777;
  if (!server.settings().acl) return Inheritance{permissions & ~umask, {}, {}};
  const absl::StatusOr<std::string> inherited = server.fs().GetXattr(directory, kDefaultAcl);
  if (!inherited.ok() && ToErrno(inherited.status()) == ENODATA) return Inheritance{permissions & ~umask, {}, {}};
  BETR_RETURN_IF_ERROR(inherited.status());
  BETR_ASSIGN_OR_RETURN(Acl acl, Acl::Decode(*inherited));
  Inheritance result{acl.Narrow(permissions), {}, {}};
  if (!acl.IsMode()) result.access_acl = acl.Encode();
  if (S_ISDIR(mode)) result.default_acl = *inherited;
  return result;
}

absl::Status SetAcls(FileSystem& fs, InodeId inode, const Inheritance& inheritance) {
  if (!inheritance.access_acl.empty()) BETR_RETURN_IF_ERROR(fs.SetXattr(inode, kAccessAcl, inheritance.access_acl));
  if (inheritance.default_acl.empty()) return absl::OkStatus();
  return fs.SetXattr(inode, kDefaultAcl, inheritance.default_acl);
}

}  // namespace

absl::StatusOr<Entry> MakeFile(fuse_req_t request, InodeId directory, const char* name, uint32_t mode,
                               uint64_t device) {
  Server& server = ServerOf(request);
  const fuse_ctx* const caller = fuse_req_ctx(request);
  const std::optional<FileType> type = TypeOfMode(mode);
  if (!type || *type == FileType::kSymlink) return ErrnoError(EINVAL, "type of a new file");
  BETR_ASSIGN_OR_RETURN(const Inheritance inheritance, Inherit(server, directory, mode, caller->umask));
  const NewFile file{
      .type = *type, .permissions = inheritance.permissions, .uid = caller->uid, .gid = caller->gid, .device = device};
  BETR_ASSIGN_OR_RETURN(const Entry entry, server.fs().Create(directory, name, file));
  const absl::Status inherited = SetAcls(server.fs(), entry.inode, inheritance);
  if (inherited.ok()) return entry;
  server.fs().Forget(entry.inode);
  return inherited;
}

absl::StatusOr<Entry> MakeUnnamed(Server& server, const fuse_ctx& caller, InodeId directory, uint32_t mode) {
  BETR_ASSIGN_OR_RETURN(const Inheritance inheritance, Inherit(server, directory, mode, caller.umask));
  const NewFile file{
      .type = FileType::kRegular, .permissions = inheritance.permissions, .uid = caller.uid, .gid = caller.gid};
  FileSystem& fs = server.fs();
  BETR_ASSIGN_OR_RETURN(const Entry entry, fs.CreateUnnamed(directory, file));
  // One reference is the open file's, the other one the caller's.
  absl::Status status = fs.Refer(entry.inode);
  if (status.ok()) status = SetAcls(fs, entry.inode, inheritance);
  if (status.ok()) return entry;
  fs.Close(entry.inode);
  fs.Forget(entry.inode);
  return status;
}

}  // namespace betr::fuse
