// SPDX-License-Identifier: Apache-2.0
// What is open through the mount. Keeps the handles behind fuse_file_info::fh, which of them may have written, the
// numbers by which a clone's source is named, and the comparisons in progress. Thread-safe.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "betr/directory_stream.h"
#include "betr/filesystem.h"
#include "comparison.h"

namespace betr::fuse {

// One open file or directory. The kernel sends the listing requests of one handle one after the other.
struct Handle {
  InodeId inode;
  bool writes = false;
  uint64_t source = 0;                      // its number as the source of clones; 0: never asked for
  std::unique_ptr<DirectoryStream> stream;  // of a directory
  std::shared_ptr<Comparison> comparison;   // the last one begun here; copied under the lock of OpenFiles only
};

class OpenFiles {
 public:
  OpenFiles();

  // Adds a handle. The kernel keeps its address until Remove.
  Handle* Add(InodeId inode, bool writes, std::unique_ptr<DirectoryStream> stream = nullptr);
  // Removes the handle that the kernel releases. Returns its inode.
  InodeId Remove(Handle* handle);
  // Forgets all handles. A mount may end while files are open, and then the kernel does not release them.
  void Clear();

  // Returns a number for the handle's inode that nobody can guess.
  uint64_t SourceOf(Handle* handle);
  // Finds the inode for a number of SourceOf. Errors: EBADF.
  absl::StatusOr<InodeId> FindSource(uint64_t source);
  // Lists the inodes whose content the kernel may hold back.
  std::vector<InodeId> Writers();
  bool IsWriter(InodeId inode);

  // Begins a comparison in place of the handle's previous one. That one ends even on error. EBUSY if there are
  // BETR_COMPARISONS others and none of them is idle.
  absl::Status BeginComparison(Handle* handle, std::unique_ptr<Comparison> comparison);
  // Returns the handle's comparison; null if none has begun.
  std::shared_ptr<Comparison> ComparisonOf(Handle* handle);
  // Gives up comparisons that nobody has asked for a while, and releases what they keep alive.
  void GiveUpIdleComparisons();

 private:
  using Streams = std::vector<std::unique_ptr<DifferenceStream>>;
  // Gives up the idle comparisons, so that only those in use remain. Returns their streams, to be destroyed once the
  // lock is free.
  Streams TakeIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  absl::flat_hash_map<Handle*, std::unique_ptr<Handle>> handles_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, uint64_t> writers_ ABSL_GUARDED_BY(mutex_);  // inode -> handles
  absl::flat_hash_map<uint64_t, InodeId> sources_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<Handle*> comparing_ ABSL_GUARDED_BY(mutex_);  // those whose comparison may still be in progress
};

}  // namespace betr::fuse
