// SPDX-License-Identifier: Apache-2.0
// Makes clones on behalf of the mount: checks who may, collects what the kernel still holds back, and tells the kernel
// what to forget. Also does other jobs that need what the kernel holds back.
//
// These jobs run in threads of their own, because they wait for the kernel. The kernel may in turn be waiting for
// requests: to write back a page, or to end an operation in the directory whose entry is invalidated. Requests are
// answered from these threads.
//
// There are two threads:
//   - of_ioctls_ serves ioctls. An ioctl holds no lock of the kernel. So its answer waits for the invalidation, which
//     takes the lock of the directory.
//   - of_lock_holders_ serves setxattr and lseek. These hold the lock of an inode, possibly of that directory. So this
//     thread waits for pages only. It answers after it has declared old everything that the kernel knows by name, which
//     takes no lock. Kernels before 6.16 cannot do that; on them an old "no such name" may outlive the call by an
//     instant.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "betr/filesystem.h"
#include "job_thread.h"
#include "server.h"

namespace betr::fuse {

// What an ioctl clones: an open file or directory or, if `entry` is given, an entry of an open directory.
struct CloneSource {
  uint64_t handle;    // from OpenFiles::SourceOf
  std::string entry;  // empty: none
};

class Cloner {
 public:
  // Both must outlive this.
  Cloner(Server* server, fuse_session* session);
  // Finishes what has been asked for. Call Finish first: by now the kernel must not need any answer for that.
  ~Cloner() = default;
  Cloner(const Cloner&) = delete;
  Cloner& operator=(const Cloner&) = delete;

  // Serves BETR_IOC_CLONE and BETR_IOC_CLONE_ENTRY. Answers the request later.
  void CloneTo(fuse_req_t request, CloneSource source, InodeId directory, std::string_view name);
  // Serves setxattr of user.betr.clone. A `path` that begins with a slash is from the root; otherwise it is taken from
  // the directory of the source. Answers the request later.
  void CloneToPath(fuse_req_t request, InodeId source, std::string_view path);
  // Does another job that waits for the kernel, on behalf of an ioctl that returns no data, and replies with its
  // status.
  void DoForIoctl(fuse_req_t request, std::string_view what, std::function<absl::Status()> job);
  // Makes the kernel hand over what it holds back of open files. Call it only in a job of DoForIoctl.
  void WriteBack();
  // Calls `then` once the kernel has handed over what it holds back of the file. May call it in another thread.
  void AfterWriteBack(InodeId inode, const std::function<void()>& then);
  // Waits until everything asked for before has been answered.
  void WaitUntilIdle();
  // The same, and refuses later requests. Call it while other requests are still being answered.
  void Finish();

 private:
  static void Enqueue(JobThread& thread, fuse_req_t request, std::function<void()> job);
  // Returns a reference that the caller must forget.
  absl::StatusOr<InodeId> Find(fuse_req_t request, const CloneSource& source);
  // Does everything except invalidating the name.
  absl::Status Clone(fuse_req_t request, InodeId source, InodeId directory, std::string_view name);
  // Makes the kernel ask again for every name that it knows. Returns false if the kernel cannot do that.
  bool DeclareOld();

  Server& server_;
  fuse_session* session_;
  JobThread of_ioctls_;
  JobThread of_lock_holders_;
};

}  // namespace betr::fuse
