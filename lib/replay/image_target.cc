// SPDX-License-Identifier: Apache-2.0
#include "replay/image_target.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "betr/path_filesystem.h"
#include "fs/mount_image.h"
#include "layout/open_locked.h"
#include "store/borrowed_device.h"

namespace betr::replay {
namespace {

// What the kernel has of an image in its page cache, without which reads would be none of the disk's.
void ForgetPages(const std::string& image) {
  const ScopedFd file(open(image.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() >= 0) posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace

ImageTarget::ImageTarget(const ImageTargetOptions& options) : options_(options), contents_(options.seed) {}

ImageTarget::~ImageTarget() = default;

absl::StatusOr<std::unique_ptr<ImageTarget>> ImageTarget::Open(const ImageTargetOptions& options) {
  std::unique_ptr<ImageTarget> target(new ImageTarget(options));
  BETR_RETURN_IF_ERROR(target->OpenDevice());
  BETR_RETURN_IF_ERROR(target->Mount());
  return target;
}

absl::Status ImageTarget::OpenDevice() {
  BETR_ASSIGN_OR_RETURN(file_, layout::OpenLocked(options_.image, FileDevice::Access::kReadWrite));
  BlockDevice* below = file_.get();
  if (options_.disk != nullptr) {
    disk_ = std::make_unique<DiskDevice>(*file_, *options_.disk, options_.disk_timing, SystemClock());
    below = disk_.get();
  }
  counting_ = std::make_unique<CountingDevice>(*below);
  return absl::OkStatus();
}

absl::Status ImageTarget::Mount() {
  StoreOptions options;
  options.program = options_.program;
  options.cache_size = options_.cache_size;
  options.experiments = options_.experiments;
  BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&options.functions));
  auto device = std::make_unique<store::BorrowedDevice>(*counting_);
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Store::Open(std::move(device), std::move(options)));
  BETR_RETURN_IF_ERROR(file_->PublishOwner(ThisProcess(options_.program, SystemClock())));
  BETR_ASSIGN_OR_RETURN(fs_, fs::MountImage(std::move(store), options_.image, MountOptions{}));
  return absl::OkStatus();
}

absl::Status ImageTarget::Unmount() {
  {
    const MutexLock lock(mutex_);
    for (const auto& [file, inode] : files_) fs_->Close(inode);
    files_.clear();
    nodes_.clear();
  }
  if (fs_ == nullptr) return absl::OkStatus();
  absl::Status status = fs_->Unmount();
  fs_.reset();
  return status;
}

absl::StatusOr<bool> ImageTarget::IsEmpty() {
  bool is_empty = true;
  BETR_RETURN_IF_ERROR(
      fs_->ReadDirectory(kRootInode, "", [&is_empty](const DirectoryEntry&) { return is_empty = false; }));
  return is_empty;
}

absl::Status ImageTarget::StartCold() {
  BETR_RETURN_IF_ERROR(Unmount());
  ForgetPages(options_.image);
  BETR_RETURN_IF_ERROR(Mount());
  BindRoot(root_);
  return absl::OkStatus();
}

absl::Status ImageTarget::Close() { return Unmount(); }

absl::Status ImageTarget::Sync() { return fs_->Sync(); }

void ImageTarget::BindRoot(NodeNumber root) {
  root_ = root;
  Learn(root, kRootInode);
}

std::optional<DeviceCounts> ImageTarget::Counts() {
  const IoStats stats = counting_->Stats();
  DeviceCounts counts{.reads = stats.reads,
                      .writes = stats.writes,
                      .flushes = stats.flushes,
                      .seeks = stats.read_seeks + stats.write_seeks,
                      .read_bytes = stats.read_bytes,
                      .written_bytes = stats.written_bytes};
  if (disk_ != nullptr) {
    const DiskStats modelled = disk_->Stats();
    counts.seeks = modelled.seeks;
    counts.modelled_seconds = std::chrono::duration<double>(modelled.busy).count();
    counts.modelled_wait_seconds = std::chrono::duration<double>(modelled.waited).count();
  }
  return counts;
}

absl::StatusOr<Manifest> ImageTarget::List(const std::string& root) {
  Manifest manifest;
  std::unordered_map<uint64_t, uint64_t> groups;
  PathFileSystem paths(fs_.get());
  const std::string top = root == "/" ? "" : root;
  const auto visit = [&](const std::string& path, const FileAttributes& attributes) -> absl::Status {
    ManifestEntry entry;
    entry.path = path.empty() ? root : top + "/" + path;
    entry.type = attributes.type;
    entry.permissions = attributes.permissions;
    entry.device = attributes.device;
    if (entry.type == FileType::kRegular || entry.type == FileType::kSymlink) entry.size = attributes.size;
    if (entry.type == FileType::kSymlink) {
      BETR_ASSIGN_OR_RETURN(entry.target, paths.ReadLink(path));
    }
    if (attributes.links > 1 && entry.type != FileType::kDirectory) {
      entry.link_group = groups.emplace(attributes.inode_number, groups.size() + 1).first->second;
    }
    manifest.entries.push_back(std::move(entry));
    return absl::OkStatus();
  };
  BETR_RETURN_IF_ERROR(paths.Walk("", visit));
  Sort(&manifest);
  return manifest;
}

void ImageTarget::Learn(NodeNumber node, InodeId inode) {
  const MutexLock lock(mutex_);
  nodes_[node] = inode;
}

void ImageTarget::Learn(FileNumber file, InodeId inode) {
  const MutexLock lock(mutex_);
  files_[file] = inode;
}

InodeId ImageTarget::InodeOf(NodeNumber node) const {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? InodeId{} : found->second;
}

InodeId ImageTarget::InodeOf(FileNumber file) const {
  const MutexLock lock(mutex_);
  const auto found = files_.find(file);
  return found == files_.end() ? InodeId{} : found->second;
}

InodeId ImageTarget::InodeOf(const Operation& operation) const {
  return operation.file == FileNumber{} || operation.kind == OperationKind::kOpen ? InodeOf(operation.place.node)
                                                                                  : InodeOf(operation.file);
}

Outcome ImageTarget::Perform(const Operation& operation) {
  if (operation.is_probe) return Probe(operation);
  return Dispatch(operation);
}

Outcome ImageTarget::Dispatch(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kOpen:
      return OpenFile(operation);
    case OperationKind::kCreate:
      return CreateFile(operation);
    case OperationKind::kClose:
      return CloseFile(operation);
    case OperationKind::kRead:
      return Read(operation);
    case OperationKind::kWrite:
    case OperationKind::kAppend:
      return Write(operation);
    case OperationKind::kTruncate:
      return Truncate(operation);
    case OperationKind::kAllocate:
      return Allocate(operation);
    case OperationKind::kCopyRange:
      return CopyRange(operation);
    case OperationKind::kSync:
    case OperationKind::kFsync:
      return SyncAll(operation);
    case OperationKind::kSeek:
      return Seek(operation);
    case OperationKind::kForget:
      return Forget(operation);
    default:
      return OnDirectory(operation);
  }
}

Outcome ImageTarget::OnDirectory(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kLookup:
      return Lookup(operation);
    case OperationKind::kStat:
      return Stat(operation);
    case OperationKind::kReadLink:
      return ReadLink(operation);
    case OperationKind::kList:
      return ListDirectory(operation);
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
    case OperationKind::kChangeMode:
    case OperationKind::kChangeOwner:
    case OperationKind::kChangeTimes:
      return Change(operation);
    case OperationKind::kStatFs:
      fs_->Space();
      return {};
    default:
      return Xattr(operation);
  }
}

// What the path leads to before it ends: nothing, or something that is no directory.
Outcome ImageTarget::Probe(const Operation& operation) {
  const bool is_behind = !operation.place.rest.empty();
  const InodeId parent = InodeOf(is_behind ? operation.place.node : operation.place.parent);
  const std::string& path = is_behind ? operation.place.rest : operation.place.name;
  const absl::StatusOr<Entry> entry = fs_->Lookup(parent, path.substr(0, path.find('/')));
  if (!entry.ok()) return {.error = ToErrno(entry.status())};
  fs_->Forget(entry->inode);
  // `open(O_DIRECTORY)` and `rmdir` of what is no directory.
  return {.error = entry->attributes.type == FileType::kDirectory ? 0 : ENOTDIR};
}

Outcome ImageTarget::Lookup(const Operation& operation) {
  const absl::StatusOr<Entry> entry = fs_->Lookup(InodeOf(operation.place.parent), operation.place.name);
  if (!entry.ok()) return {.error = ToErrno(entry.status())};
  Learn(operation.place.node, entry->inode);
  return {};
}

}  // namespace betr::replay
