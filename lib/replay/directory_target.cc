// SPDX-License-Identifier: Apache-2.0
#include "replay/directory_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "device/device_error.h"
#include "fs/transfer/host_file.h"
#include "replay/host_listing.h"
#include "replay/trace/descriptor_limit.h"

namespace betr::replay {
namespace {

Outcome OutcomeOf(int result) { return {.error = result < 0 ? errno : 0}; }

}  // namespace

DirectoryTarget::DirectoryTarget(std::string directory, ScopedFd root, uint64_t seed)
    : directory_(std::move(directory)),
      host_(std::move(root)),
      disks_(FindHostDisks(host_.get())),
      contents_(seed),
      umask_(umask(0)) {}

DirectoryTarget::~DirectoryTarget() { umask(umask_); }

absl::StatusOr<std::unique_ptr<DirectoryTarget>> DirectoryTarget::Open(const std::string& directory, uint64_t seed) {
  ScopedFd root(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) return DeviceError(directory, "open", errno);
  RaiseDescriptorLimit();
  return std::unique_ptr<DirectoryTarget>(new DirectoryTarget(directory, std::move(root), seed));
}

absl::StatusOr<bool> DirectoryTarget::IsEmpty() {
  BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs::ListHostDirectory(host_.get(), directory_));
  return names.empty();
}

absl::Status DirectoryTarget::StartCold() {
  {
    const MutexLock lock(mutex_);
    files_.clear();
    directories_.clear();
  }
  BETR_RETURN_IF_ERROR(Sync());
  // Needs root; without it the caches stay warm.
  std::ofstream("/proc/sys/vm/drop_caches") << "3\n";
  return absl::OkStatus();
}

absl::Status DirectoryTarget::Sync() {
  return syncfs(host_.get()) == 0 ? absl::OkStatus() : DeviceError(directory_, "sync", errno);
}

absl::Status DirectoryTarget::Close() {
  {
    const MutexLock lock(mutex_);
    files_.clear();
  }
  return Sync();
}

absl::StatusOr<Manifest> DirectoryTarget::List(const std::string& root) { return ListHost(host_, directory_, root); }

// What is known already is not learnt from the trace: it is where operations that succeeded here have put it.
void DirectoryTarget::Learn(NodeNumber directory, const Place& place) {
  const MutexLock lock(mutex_);
  directories_.try_emplace(directory, Where{place.parent, place.name});
}

std::string DirectoryTarget::PathOf(NodeNumber directory) const {
  const MutexLock lock(mutex_);
  std::vector<std::string_view> names;
  for (NodeNumber at = directory; at != root_;) {
    const auto found = directories_.find(at);
    // What failed here may have made directories each other's parents, by what is known of them.
    if (found == directories_.end() || names.size() == directories_.size()) return "";
    names.push_back(found->second.name);
    at = found->second.parent;
  }
  std::reverse(names.begin(), names.end());
  return names.empty() ? "." : fmt::format("{}", fmt::join(names, "/"));
}

std::string DirectoryTarget::PathOf(const Place& place) const {
  if (place.parent == NodeNumber{}) return PathOf(place.node);
  const std::string directory = PathOf(place.parent);
  if (directory.empty()) return "";
  const std::string path = directory == "." ? place.name : directory + "/" + place.name;
  return place.rest.empty() ? path : path + "/" + place.rest;
}

int DirectoryTarget::DescriptorOf(FileNumber file) const {
  const MutexLock lock(mutex_);
  const auto found = files_.find(file);
  return found == files_.end() ? -1 : found->second.get();
}

Outcome DirectoryTarget::Perform(const Operation& operation) {
  if (operation.is_probe) return Stat(operation);
  switch (operation.kind) {
    case OperationKind::kLookup:
      if (operation.type == FileType::kDirectory) Learn(operation.place.node, operation.place);
      return {.is_performed = false};
    case OperationKind::kForget: {
      const MutexLock lock(mutex_);
      directories_.erase(operation.place.node);
      return {.is_performed = false};
    }
    case OperationKind::kMakeDirectory:
    case OperationKind::kMakeNode:
    case OperationKind::kSymlink:
      return Make(operation);
    case OperationKind::kLink:
      return Link(operation);
    case OperationKind::kUnlink:
    case OperationKind::kRemoveDirectory:
      return Remove(operation);
    case OperationKind::kRename:
      return Rename(operation);
    case OperationKind::kSync:
      return OutcomeOf(syncfs(host_.get()));
    case OperationKind::kStatFs: {
      struct statfs status {};
      return OutcomeOf(fstatfs(host_.get(), &status));
    }
    default:
      return OnFile(operation);
  }
}

Outcome DirectoryTarget::OnFile(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kOpen:
    case OperationKind::kCreate:
      return OpenFile(operation);
    case OperationKind::kClose:
      return CloseFile(operation);
    case OperationKind::kRead:
      return Read(operation);
    case OperationKind::kWrite:
    case OperationKind::kAppend:
      return Write(operation);
    case OperationKind::kCopyRange:
      return CopyRange(operation);
    case OperationKind::kFsync:
      return SyncFile(operation);
    case OperationKind::kSeek:
      return Seek(operation);
    case OperationKind::kList:
      return ListDirectory(operation);
    case OperationKind::kAllocate:
      return OutcomeOf(fallocate(DescriptorOf(operation.file), static_cast<int>(operation.flags),
                                 static_cast<off_t>(operation.offset), static_cast<off_t>(operation.length)));
    default:
      return OnAttributes(operation);
  }
}

}  // namespace betr::replay
