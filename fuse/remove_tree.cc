// SPDX-License-Identifier: Apache-2.0
#include "remove_tree.h"

#include <linux/fuse.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <string>

#include "base/status.h"
#include "betr/fs_error.h"
#include "cloner.h"
#include "remove_rights.h"
#include "reply.h"

namespace betr::fuse {
namespace {

constexpr int kTries = 8;  // of a walk, during which directories may be moved

// Drops only attributes, and so waits for nothing. Pages of what is gone go when the kernel drops its inode.
void DropAttributes(fuse_session* session, InodeId inode) {
  fuse_lowlevel_notify_inval_inode(session, inode.value, -1, 0);
}

// As fuse_lowlevel_notify_delete. But libfuse prints an error if the kernel still has something in use below the
// directory, which is usual here: the names below are dropped one by one then.
void NotifyDeleted(fuse_session* session, const KnownName& known) {
  std::string name = known.name;
  fuse_notify_delete_out deleted{.parent = known.directory.value,
                                 .child = known.inode.value,
                                 .namelen = static_cast<uint32_t>(name.size()),
                                 .padding = 0};
  const size_t size = sizeof(fuse_out_header) + sizeof deleted + name.size() + 1;
  fuse_out_header header{.len = static_cast<uint32_t>(size), .error = FUSE_NOTIFY_DELETE, .unique = 0};
  const std::array<iovec, 3> parts{
      {{&header, sizeof header}, {&deleted, sizeof deleted}, {name.data(), name.size() + 1}}};
  // An error says that the kernel does not know the name, or uses the directory.
  [[maybe_unused]] const ssize_t told = writev(fuse_session_fd(session), parts.data(), parts.size());
}

// Drops a name. A directory in which nothing is known any more takes no names afterwards.
void DropName(fuse_session* session, const KnownName& known) {
  if (known.is_directory) {
    NotifyDeleted(session, known);
  } else {
    fuse_lowlevel_notify_inval_entry(session, known.directory.value, known.name.c_str(), known.name.size());
  }
}

// Tells the kernel what is gone, or may be after an error. What is below a name goes with it, unless somebody is using
// it. So most of the other names are not known any more. After an error all directories are still there, and the kernel
// must not take one for gone: whoever uses it could not reach anything in it any more.
void TellKernel(Server& server, InodeId directory, const RemovedTree& removed, bool is_gone) {
  if (removed.names.empty()) return;
  fuse_session* const session = server.session();
  const auto drop_name = [&](const KnownName& known) {
    if (is_gone || !known.is_directory) DropName(session, known);
  };
  drop_name(removed.names.back());
  for (const KnownName& known : removed.names) {
    if (!server.fs().Refer(known.inode).ok()) continue;
    drop_name(known);
    DropAttributes(session, known.inode);
    server.fs().Forget(known.inode);
  }
  for (const InodeId inode : removed.changed) DropAttributes(session, inode);
  DropAttributes(session, directory);
}

absl::Status CheckNothingMounted(const Server& server, FileSystem& fs, InodeId directory, std::string_view name) {
  BETR_ASSIGN_OR_RETURN(const std::string parent, fs.PathOf(directory));
  const std::string path = (parent.empty() ? "/" : "/" + parent + "/") + std::string(name);
  return server.IsMountedWithin(path) ? ErrnoError(EBUSY, "something is mounted there") : absl::OkStatus();
}

// Tries once. EAGAIN if what was checked may be something else by now.
absl::Status RemoveIfAllowed(Server& server, const Caller& caller, InodeId directory, std::string_view name,
                             RemovedTree* removed) {
  FileSystem& fs = server.fs();
  SeenTree seen{.top = {}, .directory_moves = fs.DirectoryMoves()};
  BETR_RETURN_IF_ERROR(CheckMaySearch(fs, caller, directory));
  BETR_ASSIGN_OR_RETURN(const Entry victim, fs.Lookup(directory, name));
  seen.top = victim.inode;
  absl::Status status = CheckMayRemove(fs, caller, directory, victim);
  if (status.ok()) status = CheckNothingMounted(server, fs, directory, name);
  if (status.ok()) status = fs.RemoveTree(directory, name, removed, caller.IsRoot() ? nullptr : &seen);
  fs.Forget(victim.inode);
  return status;
}

absl::Status Remove(Server& server, const Caller& caller, InodeId directory, std::string_view name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos) {
    return ErrnoError(EINVAL, name);
  }
  if (server.IsMadeReadOnly()) return ErrnoError(EROFS, "a mount that was made read-only");
  for (int i = 0; i < kTries; ++i) {
    RemovedTree removed;
    absl::Status status = RemoveIfAllowed(server, caller, directory, name, &removed);
    if (ToErrno(status) == EAGAIN) continue;
    TellKernel(server, directory, removed, status.ok());
    return status;
  }
  return ErrnoError(EBUSY, "directories are moved all the time");
}

}  // namespace

void RemoveTree(fuse_req_t request, InodeId directory, std::string_view name) {
  Server& server = ServerOf(request);
  server.cloner().DoForIoctl(request, "remove", [&server, request, directory, name = std::string(name)] {
    return Remove(server, CallerOf(request), directory, name);
  });
}

}  // namespace betr::fuse
