// SPDX-License-Identifier: Apache-2.0
// What is open through the mount: the handles behind fuse_file_info::fh, which of them may have written, the numbers
// by which a clone's source is named, and the comparisons that go on. Any thread.
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

// One open file or directory. The kernel sends the requests of one handle's listing one after the other.
struct Handle {
  InodeId inode;
  bool writes = false;
  uint64_t source = 0;                      // number for clones; 0: never asked for
  std::unique_ptr<DirectoryStream> stream;  // of a directory
  std::shared_ptr<Comparison> comparison;   // the last one that began here; copied under the lock of OpenFiles only
};

class OpenFiles {
 public:
  OpenFiles();

  // The handle's address is what the kernel keeps until Remove.
  Handle* Add(InodeId inode, bool writes, std::unique_ptr<DirectoryStream> stream = nullptr);
  // What Release was told. Returns the inode.
  InodeId Remove(Handle* handle);
  // Forgets all handles: a mount may end while files are open, and the kernel then asks no more.
  void Clear();

  // A number for the handle's inode that nobody can guess.
  uint64_t SourceOf(Handle* handle);
  // EBADF.
  absl::StatusOr<InodeId> FindSource(uint64_t source);
  // Inodes whose content the kernel may hold back.
  std::vector<InodeId> Writers();
  bool IsWriter(InodeId inode);

  // In place of the one before, which ends in any case. EBUSY: there are BETR_COMPARISONS, and none is idle.
  absl::Status BeginComparison(Handle* handle, std::unique_ptr<Comparison> comparison);
  // Null: none has begun.
  std::shared_ptr<Comparison> ComparisonOf(Handle* handle);
  // Gives up the comparisons that nobody has asked for a while: what they keep alive goes.
  void GiveUpIdleComparisons();

 private:
  using Streams = std::vector<std::unique_ptr<DifferenceStream>>;
  // What is left of those that were given up, for when the lock is free. Only such as are used remain.
  Streams TakeIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  absl::flat_hash_map<Handle*, std::unique_ptr<Handle>> handles_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, uint64_t> writers_ ABSL_GUARDED_BY(mutex_);  // inode -> handles
  absl::flat_hash_map<uint64_t, InodeId> sources_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<Handle*> comparing_ ABSL_GUARDED_BY(mutex_);  // all whose comparison may go on
};

}  // namespace betr::fuse
