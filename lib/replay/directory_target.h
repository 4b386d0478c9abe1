// SPDX-License-Identifier: Apache-2.0
// Replays in a directory through system calls. So the same trace runs on any file system that the kernel has mounted.
// Paths that reach the kernel contain no symlinks, since the interpreter has followed them already. Thread-safe for
// operations.
//
// A trace may be an enemy's, and the directory may come to hold something else than the trace says: where an operation
// has failed here that had succeeded there, a symlink or a device can be where a file should be. Then operations fail
// or are done to what is there, but nothing outside of the directory is touched, and no device or fifo is opened
// (confined_directory.h).
//
// Two things are not done as in the trace. O_DIRECT is dropped, as the buffers are not aligned. Fifos and devices are
// opened with O_PATH instead.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/scoped_fd.h"
#include "replay/confined_directory.h"
#include "replay/host_disk.h"
#include "replay/interpret/contents.h"
#include "replay/target.h"

namespace betr::replay {

class DirectoryTarget final : public Target {
 public:
  // Errors: kNotFound, kFailedPrecondition. While there is a target, the umask of this process is 0.
  static absl::StatusOr<std::unique_ptr<DirectoryTarget>> Open(const std::string& directory, uint64_t seed);
  ~DirectoryTarget() override;

  absl::StatusOr<bool> IsEmpty() override;
  absl::Status StartCold() override;
  void BindRoot(NodeNumber root) override { root_ = root; }
  Outcome Perform(const Operation& operation) override;
  absl::Status Sync() override;
  absl::StatusOr<Manifest> List(const std::string& root) override;
  // Counts for the whole disk that the directory is on, whoever used it; nothing if it is on none (host_disk.h).
  std::optional<DeviceCounts> Counts() override { return CountsOfDisks(disks_); }
  absl::Status Close() override;

 private:
  // Where a directory is.
  struct Where {
    NodeNumber parent;
    std::string name;
  };

  DirectoryTarget(std::string directory, ScopedFd root, uint64_t seed);

  void Learn(NodeNumber directory, const Place& place);
  void Move(NodeNumber node, const Place& place);
  // Relative to the root; "." is the root itself.
  std::string PathOf(NodeNumber directory) const;
  std::string PathOf(const Place& place) const;
  // Returns -1 if the file is not open here.
  int DescriptorOf(FileNumber file) const;
  // Finds what the operation is about, and acts on it: by a path that leads to just that. A symlink is acted on itself.
  template <class Act>
  Outcome OnSubject(const Operation& operation, const Act& act) const;
  // Calls `act` with the directory and the name of a place.
  template <class Act>
  Outcome AtName(const Place& place, const Act& act) const;
  Outcome OnFile(const Operation& operation);
  Outcome OnAttributes(const Operation& operation);

  Outcome OpenFile(const Operation& operation);
  ScopedFd OpenNew(const Operation& operation, int flags) const;
  ScopedFd OpenExisting(const Operation& operation, int flags) const;
  Outcome CloseFile(const Operation& operation);
  Outcome Read(const Operation& operation);
  Outcome Write(const Operation& operation);
  Outcome CopyRange(const Operation& operation);
  Outcome SyncFile(const Operation& operation);
  Outcome Seek(const Operation& operation);
  Outcome Stat(const Operation& operation);
  Outcome ListDirectory(const Operation& operation);
  Outcome Make(const Operation& operation);
  Outcome Link(const Operation& operation);
  Outcome Remove(const Operation& operation);
  Outcome Rename(const Operation& operation);
  Outcome Truncate(const Operation& operation);
  Outcome ReadLink(const Operation& operation);
  Outcome ChangeMode(const Operation& operation);
  Outcome ChangeOwner(const Operation& operation);
  Outcome ChangeTimes(const Operation& operation);
  Outcome Xattr(const Operation& operation);

  const std::string directory_;
  const ConfinedDirectory host_;
  const std::vector<std::string> disks_;
  const Contents contents_;
  const unsigned umask_;  // to be restored
  NodeNumber root_;
  mutable Mutex mutex_;
  std::unordered_map<NodeNumber, Where> directories_ ABSL_GUARDED_BY(mutex_);
  std::unordered_map<FileNumber, ScopedFd> files_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::replay
