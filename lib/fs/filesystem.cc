// SPDX-License-Identifier: Apache-2.0
#include "betr/filesystem.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/status.h"
#include "betr/difference_stream.h"
#include "fs/block_delta.h"
#include "fs/difference.h"
#include "fs/filesystem_impl.h"
#include "fs/key.h"
#include "fs/late_times.h"
#include "fs/listing.h"
#include "fs/mount.h"
#include "fs/names.h"
#include "store/impl.h"

namespace betr {
namespace {

// How many entries of a directory are read at once: few at first, since the caller may want no more.
constexpr size_t kFirstNames = 128;
constexpr size_t kMostNames = 2048;

// An orphan that nobody needs any more is reclaimed. If that fails, the next mount does it.
void GiveBack(fs::Core& core, fs::Inode* inode, uint64_t references) {
  core.inodes().Release(inode, references);
  if (inode->place != fs::InodePlace::kOrphan || inode->OutlivesNames()) return;
  fs::Repeated([&] { return fs::ReclaimOrphan(core, *inode); }).IgnoreError();
}

// The store would take nothing of what a file system writes.
absl::Status CheckUpserts(Store& store) {
  UpsertRegistry needed;
  BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&needed));
  for (const auto& [number, function] : needed.All()) {
    const UpsertFunction* known = store.impl().core().options.functions.Find(number);
    if (known == nullptr || known->Name() != function->Name()) {
      return ErrnoError(EINVAL, "the store was opened without FileSystem::RegisterUpserts");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<fs::Inode*> FsSession::Find(InodeId id) const {
  fs::Inode* const inode = core_.inodes().Find(id);
  if (inode == nullptr) return ErrnoError(ESTALE, "an inode that nobody refers to");
  return inode;
}

Entry FsSession::Refer(fs::Inode* inode) {
  core_.inodes().Refer(inode);
  return {inode->id, fs::AttributesOf(*inode)};
}

Entry FsSession::Tell(fs::Inode* inode) {
  inode->told = true;
  return Refer(inode);
}

absl::Status FileSystem::RegisterUpserts(UpsertRegistry* registry) {
  const std::shared_ptr<const UpsertFunction> needed[] = {std::make_shared<fs::AttributeUpsert>(),
                                                          std::make_shared<fs::BlockUpsert>()};
  for (const auto& function : needed) {
    const UpsertFunction* const known = registry->Find(function->Number());
    const bool is_there = known != nullptr && known->Name() == function->Name();
    if (!is_there) BETR_RETURN_IF_ERROR(registry->Add(function));
  }
  return absl::OkStatus();
}

absl::Status FileSystem::Format(Store* store, const RootOptions& root) {
  BETR_RETURN_IF_ERROR(CheckUpserts(*store));
  return fs::FormatTrees(store, root);
}

absl::StatusOr<std::unique_ptr<FileSystem>> FileSystem::Mount(std::unique_ptr<Store> store,
                                                              const MountOptions& options) {
  if (!store->ReadOnly()) BETR_RETURN_IF_ERROR(CheckUpserts(*store));
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<fs::Core> core, fs::OpenCore(std::move(store), options));
  return std::unique_ptr<FileSystem>(new FileSystem(std::make_unique<Impl>(std::move(core))));
}

FileSystem::FileSystem(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

FileSystem::~FileSystem() = default;

absl::Status FileSystem::Unmount() {
  FsSession session(*impl_);
  fs::Core& core = session.core();
  absl::Status status = absl::OkStatus();
  if (!core.store().ReadOnly()) {
    status.Update(core.Flush());
    status.Update(fs::ReclaimLeftovers(core));
  }
  status.Update(core.store().Close());
  status.Update(core.TakeLosses());
  return status;
}

Store& FileSystem::store() const { return impl_->store(); }

FileTime FileSystem::Now() const {
  FsSession session(*impl_);
  return session.core().Now();
}

absl::Status FileSystem::Refer(InodeId id) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  session.core().inodes().Refer(inode);
  return absl::OkStatus();
}

void FileSystem::Forget(InodeId id, uint64_t references) {
  FsSession session(*impl_);
  if (fs::Inode* const inode = session.core().inodes().Find(id)) GiveBack(session.core(), inode, references);
}

absl::Status FileSystem::Open(InodeId id) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  // A caller that found it by a name looks again, and finds what has the name now.
  if (inode->place == fs::InodePlace::kGone) return ErrnoError(ESTALE, "a removed file");
  session.core().inodes().Refer(inode);
  ++inode->opens;
  return absl::OkStatus();
}

void FileSystem::Close(InodeId id) {
  FsSession session(*impl_);
  fs::Inode* const inode = session.core().inodes().Find(id);
  if (inode == nullptr || inode->opens == 0) return;
  if (--inode->opens == 0) inode->times_are_late = false;  // whoever held back times has said them before that
  GiveBack(session.core(), inode, 1);
}

absl::Status FileSystem::Keep(InodeId id) {
  const FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  if (inode->IsDirectory()) return absl::OkStatus();
  if (inode->place == fs::InodePlace::kGone) return ErrnoError(ESTALE, "a removed file");
  inode->kept = true;
  return absl::OkStatus();
}

absl::StatusOr<Entry> FileSystem::Lookup(InodeId parent, std::string_view name) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const directory, session.Find(parent));
  BETR_RETURN_IF_ERROR(fs::CheckDirectory(*directory));
  if (name == ".") return session.Tell(directory);
  if (name == "..") return session.Tell(directory->place == fs::InodePlace::kRoot ? directory : directory->parent());
  BETR_RETURN_IF_ERROR(fs::CheckName(name));
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.core().Get(*directory, name));
  return session.Tell(inode);
}

absl::StatusOr<Entry> FileSystem::Create(InodeId parent, std::string_view name, const NewFile& file) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const directory, session.Find(parent));
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode,
                        fs::Repeated([&] { return fs::Create(session.core(), *directory, name, file); }));
  return session.Refer(inode);
}

absl::StatusOr<Entry> FileSystem::CreateUnnamed(InodeId id, const NewFile& file) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const directory, session.Find(id));
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode,
                        fs::Repeated([&] { return fs::CreateUnnamed(session.core(), *directory, file); }));
  inode->opens = 1;
  return session.Refer(inode);
}

absl::StatusOr<Entry> FileSystem::Link(InodeId id, InodeId parent, std::string_view name) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  BETR_ASSIGN_OR_RETURN(fs::Inode* const directory, session.Find(parent));
  BETR_RETURN_IF_ERROR(fs::Repeated([&] { return fs::Link(session.core(), *inode, *directory, name); }));
  return session.Refer(inode);
}

absl::Status FileSystem::Unlink(InodeId parent, std::string_view name) {
  return fs::UnlinkChecked(this, parent, name, {});
}

absl::Status FileSystem::RemoveDirectory(InodeId parent, std::string_view name) {
  return fs::RemoveDirectoryChecked(this, parent, name, {});
}

absl::Status FileSystem::RemoveTree(InodeId parent, std::string_view name, RemovedTree* removed, const SeenTree* seen) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const directory, session.Find(parent));
  return fs::Repeated([&] { return fs::RemoveTree(session.core(), *directory, name, removed, seen); });
}

uint64_t FileSystem::DirectoryMoves() const {
  FsSession session(*impl_);
  return session.core().directory_moves();
}

absl::Status FileSystem::Rename(InodeId from_parent, std::string_view from_name, InodeId to_parent,
                                std::string_view to_name, RenameMode mode, const NewFile* left) {
  return fs::RenameChecked(this, from_parent, from_name, to_parent, to_name, mode, left, {});
}

uint64_t FileSystem::Arrivals(uint32_t owner) const {
  FsSession session(*impl_);
  return session.core().arrivals(owner);
}

absl::StatusOr<Entry> FileSystem::Clone(InodeId source, InodeId parent, std::string_view name, const SeenOwner* seen) {
  return fs::CloneWithLateTimes(this, {}, source, parent, name, seen);
}

absl::Status FileSystem::FindDifferences(InodeId before, InodeId after,
                                         absl::FunctionRef<absl::Status(const EntryDifference&)> visit) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<DifferenceStream> differences, NewDifferences(before, after));
  for (;;) {
    BETR_ASSIGN_OR_RETURN(const std::optional<EntryDifference> difference, differences->Next());
    if (!difference) return absl::OkStatus();
    BETR_RETURN_IF_ERROR(visit(*difference));
  }
}

absl::StatusOr<std::unique_ptr<DifferenceStream>> FileSystem::NewDifferences(InodeId before, InodeId after) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const from, session.Find(before));
  BETR_ASSIGN_OR_RETURN(fs::Inode* const to, session.Find(after));
  return fs::Difference::Of(session.core(), *from, *to);
}

absl::Status FileSystem::ReadDirectory(InodeId id, std::string_view after,
                                       absl::FunctionRef<bool(const DirectoryEntry&)> visit) {
  std::string from(after);
  for (size_t names = kFirstNames;; names = std::min(names * 2, kMostNames)) {
    absl::StatusOr<fs::Listing> listing = absl::UnknownError("not listed yet");
    {
      FsSession session(*impl_);
      BETR_ASSIGN_OR_RETURN(fs::Inode* const directory, session.Find(id));
      listing = fs::Listing::Of(session.core(), *directory, from);
      BETR_RETURN_IF_ERROR(listing.status());
    }
    const absl::Status read = listing->Read(names);
    const bool wanted = std::ranges::all_of(listing->items(), [&](const fs::Listing::Item& item) {
      return visit({item.name, item.attributes});
    });
    {
      FsSession session(*impl_);
      if (fs::Inode* const directory = session.core().inodes().Find(id)) listing->Teach(directory);
    }
    if (!wanted) return absl::OkStatus();
    BETR_RETURN_IF_ERROR(read);
    if (listing->AtEnd()) return absl::OkStatus();
    from = listing->items().back().name;
  }
}

absl::StatusOr<std::vector<NamedEntry>> FileSystem::LookupAfter(InodeId id, std::string_view after, size_t max) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const directory, session.Find(id));
  BETR_ASSIGN_OR_RETURN(std::vector<fs::FoundName> found, fs::FindAfter(session.core(), *directory, after, max));
  std::vector<NamedEntry> entries;
  entries.reserve(found.size());
  for (fs::FoundName& one : found) {
    Entry entry;
    if (one.inode != nullptr) entry = session.Tell(one.inode);
    entries.push_back({std::move(one.name), entry});
  }
  return entries;
}

absl::StatusOr<std::string> FileSystem::PathOf(InodeId id) {
  FsSession session(*impl_);
  BETR_ASSIGN_OR_RETURN(fs::Inode* const inode, session.Find(id));
  if (inode->place == fs::InodePlace::kRoot) return std::string();
  if (inode->place != fs::InodePlace::kNamed) return ErrnoError(ENOENT, "a file without one name");
  return fs::key::PathOfObject(fs::key::Entry(session.core().PathOf(*inode->parent()), inode->names.front().name));
}

}  // namespace betr
