// SPDX-License-Identifier: Apache-2.0
// The methods of FileSystem on attributes, content and the whole.
#include <linux/falloc.h>

#include <cerrno>
#include <utility>

#include "base/status.h"
#include "fs/content.h"
#include "fs/filesystem_impl.h"
#include "fs/transaction.h"

namespace betr {
namespace {

constexpr int64_t kSecondsPerDay = 86400;

// As `relatime`: once after each change, and once a day. A failure to note it is no failure to read.
void NoteAccess(fs::Core& core, fs::Inode* inode) {
  const fs::InodeRecord& record = inode->record;
  if (!core.options().update_access_times || core.store().ReadOnly() || inode->place == fs::InodePlace::kGone) return;
  const FileTime now = core.Now();
  const bool stale = record.accessed <= record.modified || record.accessed <= record.changed ||
                     now.seconds - record.accessed.seconds >= kSecondsPerDay;
  if (!stale) return;
  fs::Transaction transaction(&core);
  fs::AttributeDelta delta;
  delta.accessed = now;
  transaction.Change(inode, delta);
  transaction.Commit().IgnoreError();
}

// Takes the lock only to find what is to be read.
absl::StatusOr<fs::ContentView> ViewOf(FileSystem::Impl& impl, InodeId id, ReadMode mode) {
  FsSession session(impl);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  absl::StatusOr<fs::ContentView> view = fs::ContentView::Of(session.core(), *inode);
  if (view.ok() && mode == ReadMode::kNoticed) NoteAccess(session.core(), inode);
  return view;
}

absl::Status SyncAll(FileSystem& fs) {
  BETR_RETURN_IF_ERROR(fs.Flush());
  return fs.store().Sync();
}

}  // namespace

absl::StatusOr<FileAttributes> FileSystem::GetAttributes(InodeId id) {
  const FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  inode->told = true;
  return fs::AttributesOf(*inode);
}

bool FileSystem::TakeTold(InodeId id) {
  FsSession session(*impl_);
  fs::Inode* const inode = session.core().inodes().Find(id);
  return inode != nullptr && std::exchange(inode->told, false);
}

std::optional<InodeId> FileSystem::TakeTold(InodeId parent, std::string_view name) {
  FsSession session(*impl_);
  const fs::Inode* const directory = session.core().inodes().Find(parent);
  if (directory == nullptr) return std::nullopt;
  const auto child = directory->children.find(name);
  if (child == directory->children.end()) return std::nullopt;
  fs::Inode* const inode = child->second.inode;
  return std::exchange(inode->told, false) ? std::optional(inode->id) : std::nullopt;
}

absl::StatusOr<FileAttributes> FileSystem::SetAttributes(InodeId id, const AttributeChange& change) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  BETR_RETURN_IF_ERROR(fs::Repeated([&] { return fs::SetAttributes(session.core(), *inode, change); }));
  return fs::AttributesOf(*inode);
}

absl::StatusOr<std::string> FileSystem::ReadLink(InodeId id) {
  const FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(const fs::Inode* const inode, session.Find(id));
  if (inode->record.type != FileType::kSymlink) return ErrnoError(EINVAL, "not a symbolic link");
  return inode->record.target;
}

absl::StatusOr<std::string> FileSystem::GetXattr(InodeId id, std::string_view name) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  return fs::GetXattr(session.core(), *inode, name);
}

absl::Status FileSystem::SetXattr(InodeId id, std::string_view name, std::string_view value, XattrMode mode) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  return fs::Repeated([&] { return fs::SetXattr(session.core(), *inode, name, value, mode); });
}

absl::Status FileSystem::RemoveXattr(InodeId id, std::string_view name) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  return fs::Repeated([&] { return fs::RemoveXattr(session.core(), *inode, name); });
}

absl::StatusOr<std::vector<std::string>> FileSystem::ListXattrs(InodeId id) {
  const FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(const fs::Inode* const inode, session.Find(id));
  std::vector<std::string> names;
  names.reserve(inode->record.xattrs.size());
  for (const fs::XattrRecord& xattr : inode->record.xattrs) names.push_back(xattr.name);
  return names;
}

absl::StatusOr<size_t> FileSystem::Read(InodeId id, uint64_t offset, std::span<char> buffer, ReadMode mode) {
  BETR_ASSIGN_OR_RETURN(const fs::ContentView view, ViewOf(*impl_, id, mode));
  return view.Read(offset, buffer);
}

absl::StatusOr<size_t> FileSystem::Write(InodeId id, uint64_t offset, std::string_view bytes) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  return fs::Write(session.core(), *inode, offset, bytes);
}

absl::StatusOr<uint64_t> FileSystem::Append(InodeId id, std::string_view bytes) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  return fs::Append(session.core(), *inode, bytes);
}

std::optional<AllocateMode> AllocateModeOf(int flags) {
  switch (flags) {
    case 0:
      return AllocateMode::kExtend;
    case FALLOC_FL_KEEP_SIZE:
      return AllocateMode::kKeepSize;
    case FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE:
      return AllocateMode::kPunchHole;
    case FALLOC_FL_ZERO_RANGE:
      return AllocateMode::kZero;
    case FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE:
      return AllocateMode::kZeroKeepSize;
    default:
      return std::nullopt;
  }
}

absl::Status FileSystem::Allocate(InodeId id, AllocateMode mode, uint64_t offset, uint64_t length) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  return fs::Repeated([&] { return fs::Allocate(session.core(), *inode, mode, offset, length); });
}

absl::StatusOr<uint64_t> FileSystem::SeekData(InodeId id, uint64_t offset) {
  BETR_ASSIGN_OR_RETURN(const fs::ContentView view, ViewOf(*impl_, id, ReadMode::kUnnoticed));
  return view.SeekData(offset);
}

absl::StatusOr<uint64_t> FileSystem::SeekHole(InodeId id, uint64_t offset) {
  BETR_ASSIGN_OR_RETURN(const fs::ContentView view, ViewOf(*impl_, id, ReadMode::kUnnoticed));
  return view.SeekHole(offset);
}

absl::StatusOr<uint64_t> FileSystem::CopyRange(InodeId from_id, uint64_t from_offset, InodeId to_id, uint64_t to_offset,
                                               uint64_t length) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const from, session.Find(from_id));
  BETR_ASSIGN_OR_RETURN(fs::Inode* const to, session.Find(to_id));
  return fs::Repeated([&] { return fs::CopyRange(session.core(), *from, from_offset, *to, to_offset, length); });
}

FileSystemSpace FileSystem::Space() const {
  FsSession session(*impl_);
  return session.core().Space();
}

absl::Status FileSystem::Flush() {
  FsSession session(*impl_);
  return session.core().Flush();
}

absl::Status FileSystem::Sync() {
  BETR_RETURN_IF_ERROR(SyncAll(*this));
  FsSession session(*impl_);
  return session.core().TakeLosses();
}

absl::Status FileSystem::SyncFile(InodeId id) {
  BETR_RETURN_IF_ERROR(SyncAll(*this));
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  return session.core().TakeLoss(*inode);
}

}  // namespace betr
