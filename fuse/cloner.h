// SPDX-License-Identifier: Apache-2.0
// Clones from the mount: who may, what the kernel still holds back, and what it must forget afterwards. And whatever
// else has to know what the kernel holds back.
//
// All of that happens in a thread of its own, one clone after the other, because it waits for the kernel, which may
// in turn be waiting for requests: to write back a page, or to end an operation in the directory whose entry is
// invalidated. Requests are answered from this thread.
//
// An ioctl holds no lock of the kernel, so its answer waits for the invalidation. setxattr holds the source's: there
// the answer comes first, after everything the kernel knows by name has been declared old, which takes no lock.
// (Kernels before 6.16 do not know how: on these an old "no such name" may outlive the call by an instant.)
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.h"
#include "betr/filesystem.h"
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
  // Finishes what has been asked for.
  ~Cloner();
  Cloner(const Cloner&) = delete;
  Cloner& operator=(const Cloner&) = delete;

  // BETR_IOC_CLONE and BETR_IOC_CLONE_ENTRY. Answers the request later.
  void CloneTo(fuse_req_t request, CloneSource source, InodeId directory, std::string_view name);
  // user.betr.clone: `path` is from the root if it begins with a slash, or else a name beside the source.
  void CloneToPath(fuse_req_t request, InodeId source, std::string_view path);
  // Calls `then`, in this thread, when the kernel has handed over what it holds of the file.
  void AfterWriteBack(InodeId inode, std::function<void()> then);
  // What was asked for before is answered.
  void WaitUntilIdle();

 private:
  void Enqueue(std::function<void()> job);
  void Run();
  // Has the kernel hand over what it holds of open files.
  void WriteBack();
  // With a reference for the caller to forget.
  absl::StatusOr<InodeId> Find(fuse_req_t request, const CloneSource& source);
  // Everything but the invalidation of the name.
  absl::Status Clone(fuse_req_t request, InodeId source, InodeId directory, std::string_view name);
  // Every name that the kernel knows is asked for again. False if the kernel does not know how.
  bool DeclareOld();

  Server& server_;
  fuse_session* session_;
  Mutex mutex_;
  Condition changed_;
  std::deque<std::function<void()>> jobs_ ABSL_GUARDED_BY(mutex_);
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace betr::fuse
