// SPDX-License-Identifier: Apache-2.0
#include "open_files.h"

#include <sys/random.h>

#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "betr/mount_ioctl.h"

namespace betr::fuse {

OpenFiles::OpenFiles() = default;

Handle* OpenFiles::Add(InodeId inode, bool writes, std::unique_ptr<DirectoryStream> stream) {
  auto handle = std::make_unique<Handle>();
  handle->inode = inode;
  handle->writes = writes;
  handle->stream = std::move(stream);
  Handle* const address = handle.get();
  const MutexLock lock(mutex_);
  handles_.emplace(address, std::move(handle));
  if (writes) ++writers_[inode.value];
  return address;
}

InodeId OpenFiles::Remove(Handle* handle) {
  std::unique_ptr<Handle> owned;  // its streams are destroyed after the lock is released
  const MutexLock lock(mutex_);
  owned = std::move(handles_.extract(handle).mapped());
  if (owned->writes && --writers_[owned->inode.value] == 0) writers_.erase(owned->inode.value);
  if (owned->source != 0) sources_.erase(owned->source);
  if (owned->comparison != nullptr) comparing_.erase(handle);
  return owned->inode;
}

void OpenFiles::Clear() {
  const MutexLock lock(mutex_);
  handles_.clear();
  writers_.clear();
  sources_.clear();
  comparing_.clear();
}

uint64_t OpenFiles::SourceOf(Handle* handle) {
  const MutexLock lock(mutex_);
  while (handle->source == 0) {
    uint64_t source = 0;
    Check(getrandom(&source, sizeof source, 0) == sizeof source, "the system has random numbers");
    if (source != 0 && sources_.emplace(source, handle->inode).second) handle->source = source;
  }
  return handle->source;
}

absl::StatusOr<InodeId> OpenFiles::FindSource(uint64_t source) {
  const MutexLock lock(mutex_);
  const auto found = sources_.find(source);
  if (found == sources_.end()) return ErrnoError(EBADF, "source of a clone");
  return found->second;
}

std::vector<InodeId> OpenFiles::Writers() {
  const MutexLock lock(mutex_);
  std::vector<InodeId> inodes;
  for (const auto& [inode, handles] : writers_) inodes.push_back(InodeId{inode});
  return inodes;
}

bool OpenFiles::IsWriter(InodeId inode) {
  const MutexLock lock(mutex_);
  return writers_.contains(inode.value);
}

absl::Status OpenFiles::BeginComparison(Handle* handle, std::unique_ptr<Comparison> comparison) {
  std::shared_ptr<Comparison> former;  // these two are destroyed after the lock is released
  Streams given_up;
  const MutexLock lock(mutex_);
  comparing_.erase(handle);
  former = std::move(handle->comparison);
  if (comparing_.size() >= BETR_COMPARISONS) given_up = TakeIdle();
  if (comparing_.size() >= BETR_COMPARISONS) return ErrnoError(EBUSY, "too many comparisons");
  handle->comparison = std::move(comparison);
  comparing_.insert(handle);
  return absl::OkStatus();
}

std::shared_ptr<Comparison> OpenFiles::ComparisonOf(Handle* handle) {
  const MutexLock lock(mutex_);
  return handle->comparison;
}

void OpenFiles::GiveUpIdleComparisons() {
  Streams given_up;
  const MutexLock lock(mutex_);
  given_up = TakeIdle();
}

OpenFiles::Streams OpenFiles::TakeIdle() {
  Streams streams;
  absl::erase_if(comparing_, [&](const Handle* handle) {
    // Nobody else can get it now, so its own lock is free.
    if (handle->comparison.use_count() > 1 || !handle->comparison->IsIdle()) return false;
    streams.push_back(handle->comparison->GiveUp());
    return true;
  });
  return streams;
}

}  // namespace betr::fuse
