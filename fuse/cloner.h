// SPDX-License-Identifier: Apache-2.0
// Clones from the mount: who may, what the kernel still holds back, and what it must forget afterwards. And whatever
// else has to know what the kernel holds back.
//
// All of that happens in threads of its own, because it waits for the kernel, which may in turn be waiting for
// requests: to write back a page, or to end an operation in the directory whose entry is invalidated. Requests are
// answered from these threads.
//
// There are two. An ioctl holds no lock of the kernel, so its answer waits for the invalidation, which takes the
// directory's lock. setxattr and lseek hold the lock of an inode, maybe that one: so what they ask for is done by a
// thread that only waits for pages, and the answer comes after everything the kernel knows by name has been declared
// old, which takes no lock. (Kernels before 6.16 do not know how: on these an old "no such name" may outlive the call
// by an instant.)
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "betr/filesystem.h"
#include "job_thread.h"
#include "server.h"

namespace betr::fuse {

// What an ioctl clones: what is open, or what the directory that is open has under a name.
struct CloneSource {
  uint64_t handle;    // a number of OpenFiles
  std::string entry;  // empty: none
};

class Cloner {
 public:
  // Both outlive this.
  Cloner(Server* server, fuse_session* session);
  // Finishes what has been asked for. The kernel must not need answers for that any more: Finish comes before.
  ~Cloner() = default;
  Cloner(const Cloner&) = delete;
  Cloner& operator=(const Cloner&) = delete;

  // BETR_IOC_CLONE and BETR_IOC_CLONE_ENTRY. Answers the request later.
  void CloneTo(fuse_req_t request, CloneSource source, InodeId directory, std::string_view name);
  // user.betr.clone: `path` is from the root if it begins with a slash, or else a name beside the source.
  void CloneToPath(fuse_req_t request, InodeId source, std::string_view path);
  // Does another job that waits for the kernel, for an ioctl without an answer, and replies what comes of it.
  void DoForIoctl(fuse_req_t request, std::string_view what, std::function<absl::Status()> job);
  // Has the kernel hand over what it holds of open files. In a job of DoForIoctl only.
  void WriteBack();
  // Calls `then`, maybe in another thread, when the kernel has handed over what it holds of the file.
  void AfterWriteBack(InodeId inode, const std::function<void()>& then);
  // What was asked for before is answered.
  void WaitUntilIdle();
  // The same, and later requests are refused. While other requests are answered still.
  void Finish();

 private:
  static void Enqueue(JobThread& thread, fuse_req_t request, std::function<void()> job);
  // With a reference for the caller to forget.
  absl::StatusOr<InodeId> Find(fuse_req_t request, const CloneSource& source);
  // Everything but the invalidation of the name.
  absl::Status Clone(fuse_req_t request, InodeId source, InodeId directory, std::string_view name);
  // Every name that the kernel knows is asked for again. False if the kernel does not know how.
  bool DeclareOld();

  Server& server_;
  fuse_session* session_;
  JobThread of_ioctls_;
  JobThread of_lock_holders_;
};

}  // namespace betr::fuse
