// SPDX-License-Identifier: Apache-2.0
// What is open through the mount: the handles behind fuse_file_info::fh, which of them may have written, and the
// numbers by which a clone's source is named. Any thread.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "betr/directory_stream.h"
#include "betr/filesystem.h"

namespace betr::fuse {

// One open file or directory. The kernel sends the requests of one handle's listing one after the other.
struct Handle {
  InodeId inode;
  bool writes = false;
  uint64_t source = 0;                      // number for clones; 0: never asked for
  std::unique_ptr<DirectoryStream> stream;  // of a directory
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

 private:
  Mutex mutex_;
  absl::flat_hash_map<Handle*, std::unique_ptr<Handle>> handles_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, uint64_t> writers_ ABSL_GUARDED_BY(mutex_);  // inode -> handles
  absl::flat_hash_map<uint64_t, InodeId> sources_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::fuse
