// SPDX-License-Identifier: Apache-2.0
#include "cloner.h"

#include <linux/fuse.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/status.h"
#include "betr/fs_error.h"
#include "clone_rights.h"
#include "fs/late_times.h"
#include "fs/path_names.h"
#include "reply.h"

namespace betr::fuse {
namespace {

constexpr int kTries = 8;           // of a walk, during which files of others may arrive
constexpr int kNotifyNewEpoch = 8;  // FUSE_NOTIFY_INC_EPOCH of newer headers

}  // namespace

Cloner::Cloner(Server* server, fuse_session* session) : server_(*server), session_(session) {}

void Cloner::WaitUntilIdle() {
  of_ioctls_.WaitUntilIdle();
  of_lock_holders_.WaitUntilIdle();
}

void Cloner::Finish() {
  of_ioctls_.TakeNoMore();
  of_lock_holders_.TakeNoMore();
  WaitUntilIdle();
}

void Cloner::Enqueue(JobThread& thread, fuse_req_t request, std::function<void()> job) {
  if (!thread.Enqueue(std::move(job))) ReplyStatus(request, ErrnoError(ENOTCONN, "the mount ends"), "ioctl");
}

void Cloner::DoForIoctl(fuse_req_t request, std::string_view what, std::function<absl::Status()> job) {
  Enqueue(of_ioctls_, request, [request, what = std::string(what), job = std::move(job)] {
    const absl::Status status = job();
    if (!status.ok()) return ReplyStatus(request, status, what);
    fuse_reply_ioctl(request, 0, nullptr, 0);
  });
}

void Cloner::WriteBack() {
  for (const InodeId inode : server_.files().Writers()) fuse_lowlevel_notify_inval_inode(session_, inode.value, 0, 0);
}

void Cloner::AfterWriteBack(InodeId inode, const std::function<void()>& then) {
  const bool is_taken = of_lock_holders_.Enqueue([this, inode, then] {
    fuse_lowlevel_notify_inval_inode(session_, inode.value, 0, 0);
    then();
  });
  if (!is_taken) then();
}

absl::Status Cloner::Clone(fuse_req_t request, InodeId source, InodeId directory, std::string_view name) {
  FileSystem& fs = server_.fs();
  const Caller caller = CallerOf(request);
  if (server_.IsMadeReadOnly()) return ErrnoError(EROFS, "a mount that was made read-only");
  BETR_RETURN_IF_ERROR(CheckMayCreate(fs, caller, directory));
  absl::StatusOr<Entry> clone = ErrnoError(EAGAIN, name);
  for (int i = 0; i < kTries && ToErrno(clone.status()) == EAGAIN; ++i) {
    const SeenOwner seen{.owner = caller.uid, .arrivals = fs.Arrivals(caller.uid)};
    BETR_RETURN_IF_ERROR(CheckMayCopy(fs, caller, source));
    WriteBack();
    // The kernel keeps the times of what it has gathered.
    const std::vector<InodeId> late = server_.settings().writeback ? server_.files().Writers() : std::vector<InodeId>();
    clone = betr::fs::CloneWithLateTimes(&fs, late, source, directory, name, caller.IsRoot() ? nullptr : &seen);
  }
  if (ToErrno(clone.status()) == EAGAIN) return ErrnoError(EBUSY, "what is below the source changes all the time");
  BETR_RETURN_IF_ERROR(clone.status());
  fs.Forget(clone->inode);
  fuse_lowlevel_notify_inval_inode(session_, directory.value, 0, 0);
  return absl::OkStatus();
}

bool Cloner::DeclareOld() {
  const fuse_out_header header{sizeof(fuse_out_header), kNotifyNewEpoch, 0};
  return write(fuse_session_fd(session_), &header, sizeof header) == sizeof header;
}

absl::StatusOr<InodeId> Cloner::Find(fuse_req_t request, const CloneSource& source) {
  FileSystem& fs = server_.fs();
  BETR_ASSIGN_OR_RETURN(const InodeId opened, server_.files().FindSource(source.handle));
  if (source.entry.empty()) {
    BETR_RETURN_IF_ERROR(fs.Refer(opened));
    return opened;
  }
  BETR_RETURN_IF_ERROR(CheckMaySearch(fs, CallerOf(request), opened));
  BETR_ASSIGN_OR_RETURN(const Entry found, fs.Lookup(opened, source.entry));
  return found.inode;
}

void Cloner::CloneTo(fuse_req_t request, CloneSource source, InodeId directory, std::string_view name) {
  Enqueue(of_ioctls_, request, [this, request, source = std::move(source), directory, name = std::string(name)] {
    const absl::StatusOr<InodeId> inode = Find(request, source);
    const absl::Status status = inode.ok() ? Clone(request, *inode, directory, name) : inode.status();
    if (inode.ok()) server_.fs().Forget(*inode);
    if (status.ok()) fuse_lowlevel_notify_inval_entry(session_, directory.value, name.c_str(), name.size());
    if (!status.ok()) return ReplyStatus(request, status, "clone");
    fuse_reply_ioctl(request, 0, nullptr, 0);
  });
}

void Cloner::CloneToPath(fuse_req_t request, InodeId source, std::string_view path) {
  Enqueue(of_lock_holders_, request, [this, request, source, path = std::string(path)] {
    FileSystem& fs = server_.fs();
    std::string whole = path;
    if (!path.starts_with('/')) {
      const absl::StatusOr<std::string> own = fs.PathOf(source);
      // If the source has several names, the clone could be beside any of them.
      if (!own.ok()) return ReplyStatus(request, ErrnoError(EINVAL, "a source without one name"), "clone");
      whole = betr::fs::SplitLast("/" + *own).first + "/" + path;
    }
    const auto [parent, name] = betr::fs::SplitLast(whole);
    const absl::StatusOr<InodeId> directory = FindDirectory(fs, CallerOf(request), parent);
    if (!directory.ok()) return ReplyStatus(request, directory.status(), "clone");
    const absl::Status status = Clone(request, source, *directory, name);
    const bool is_old = status.ok() && DeclareOld();
    ReplyStatus(request, status, "clone");
    if (status.ok() && !is_old) {
      // Its lock may be held by somebody who waits for this thread.
      of_ioctls_.Enqueue([this, inode = *directory, name = name] {
        fuse_lowlevel_notify_inval_entry(session_, inode.value, name.c_str(), name.size());
      });
    }
    fs.Forget(*directory);
  });
}

}  // namespace betr::fuse
