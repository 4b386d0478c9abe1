// SPDX-License-Identifier: Apache-2.0
#include "clone_rights.h"

#include <algorithm>
#include <cerrno>

#include "acl.h"
#include "base/status.h"
#include "fs/path_names.h"

namespace betr::fuse {
namespace {

constexpr uint32_t kRead = 04;
constexpr uint32_t kWrite = 02;
constexpr uint32_t kExecute = 01;

absl::Status CheckAccess(FileSystem& fs, const Caller& caller, InodeId inode, const FileAttributes& attributes,
                         uint32_t wanted) {
  if (caller.IsRoot()) return absl::OkStatus();
  uint32_t granted = attributes.permissions & 07U;
  if (attributes.uid == caller.uid) {
    granted = (attributes.permissions >> 6) & 07U;
  } else if (fs.GetXattr(inode, kAccessAcl).ok()) {
    granted = 0;
  } else if (std::find(caller.groups.begin(), caller.groups.end(), attributes.gid) != caller.groups.end()) {
    granted = (attributes.permissions >> 3) & 07U;
  }
  return (granted & wanted) == wanted ? absl::OkStatus() : ErrnoError(EACCES, "permissions of a directory");
}

absl::Status CheckMayHaveAnother(const Caller& caller, const FileAttributes& attributes) {
  // As for mknod(2), it is not for the owner of a device to decide who else gets one that works.
  if (IsDevice(attributes.type)) return ErrnoError(EPERM, "a device");
  return CheckOwnAndReadable(caller, attributes);
}

// Checks the entries of a directory. Adds the directories among them to `below`, each with a reference.
absl::Status CheckEntries(FileSystem& fs, InodeId directory,
                          absl::FunctionRef<absl::Status(const FileAttributes&)> check, std::vector<InodeId>* below) {
  std::vector<std::string> names;
  absl::Status refused = absl::OkStatus();
  BETR_RETURN_IF_ERROR(fs.ReadDirectory(directory, "", [&](const DirectoryEntry& entry) {
    refused = check(entry.attributes);
    if (entry.attributes.type == FileType::kDirectory) names.emplace_back(entry.name);
    return refused.ok();
  }));
  BETR_RETURN_IF_ERROR(refused);
  for (const std::string& name : names) {
    const absl::StatusOr<Entry> entry = fs.Lookup(directory, name);
    if (!entry.ok() && ToErrno(entry.status()) == ENOENT) continue;
    BETR_RETURN_IF_ERROR(entry.status());
    below->push_back(entry->inode);
  }
  return absl::OkStatus();
}

}  // namespace

Caller CallerOf(fuse_req_t request) {
  const fuse_ctx* const context = fuse_req_ctx(request);
  Caller caller{context->uid, {context->gid}};
  if (caller.IsRoot()) return caller;
  std::vector<gid_t> groups(64);
  int count = fuse_req_getgroups(request, static_cast<int>(groups.size()), groups.data());
  if (count > static_cast<int>(groups.size())) {
    groups.resize(static_cast<size_t>(count));
    count = fuse_req_getgroups(request, count, groups.data());
  }
  count = std::min(count, static_cast<int>(groups.size()));
  if (count > 0) caller.groups.insert(caller.groups.end(), groups.begin(), groups.begin() + count);
  return caller;
}

absl::Status CheckOwnAndReadable(const Caller& caller, const FileAttributes& attributes) {
  if (attributes.uid != caller.uid) return ErrnoError(EPERM, "a file of somebody else");
  uint32_t wanted = 0;
  if (attributes.type == FileType::kRegular) wanted = kRead << 6;
  if (attributes.type == FileType::kDirectory) wanted = (kRead | kExecute) << 6;
  return (attributes.permissions & wanted) == wanted ? absl::OkStatus() : ErrnoError(EACCES, "an unreadable file");
}

absl::Status CheckMayCreate(FileSystem& fs, const Caller& caller, InodeId directory) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs.GetAttributes(directory));
  return CheckAccess(fs, caller, directory, attributes, kWrite | kExecute);
}

absl::Status CheckMaySearch(FileSystem& fs, const Caller& caller, InodeId directory) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs.GetAttributes(directory));
  return CheckAccess(fs, caller, directory, attributes, kExecute);
}

absl::Status CheckAllBelow(FileSystem& fs, InodeId directory,
                           absl::FunctionRef<absl::Status(const FileAttributes&)> check) {
  BETR_RETURN_IF_ERROR(fs.Refer(directory));
  std::vector<InodeId> directories = {directory};
  absl::Status status = absl::OkStatus();
  while (!directories.empty()) {
    const InodeId next = directories.back();
    directories.pop_back();
    if (status.ok()) status = CheckEntries(fs, next, check, &directories);
    fs.Forget(next);
  }
  return status;
}

absl::Status CheckMayCopy(FileSystem& fs, const Caller& caller, InodeId source) {
  if (caller.IsRoot()) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs.GetAttributes(source));
  BETR_RETURN_IF_ERROR(CheckMayHaveAnother(caller, attributes));
  if (attributes.type != FileType::kDirectory) return absl::OkStatus();
  return CheckAllBelow(fs, source, [&](const FileAttributes& below) { return CheckMayHaveAnother(caller, below); });
}

absl::StatusOr<InodeId> FindDirectory(FileSystem& fs, const Caller& caller, std::string_view path) {
  InodeId at = kRootInode;
  BETR_RETURN_IF_ERROR(fs.Refer(at));
  for (const std::string& name : betr::fs::Components(path)) {
    const absl::Status status = CheckMaySearch(fs, caller, at);
    absl::StatusOr<Entry> next = status.ok() ? fs.Lookup(at, name) : status;
    fs.Forget(at);
    BETR_RETURN_IF_ERROR(next.status());
    at = next->inode;
  }
  return at;
}

}  // namespace betr::fuse
