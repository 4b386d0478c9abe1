// SPDX-License-Identifier: Apache-2.0
// Open files and what is in them.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "replay/image_target.h"
#include "replay/thread_buffer.h"

namespace betr::replay {
namespace {

Outcome OutcomeOf(const absl::Status& status) { return {.error = ToErrno(status)}; }

}  // namespace

Outcome ImageTarget::OpenFile(const Operation& operation) {
  // The kernel sees to this before it asks a file system.
  const bool wants_file = (operation.flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
  const bool is_for_path = (operation.flags & O_PATH) != 0;
  const bool is_directory = operation.type == FileType::kDirectory;
  if (is_directory && wants_file && !is_for_path) return {.error = EISDIR};
  if (!is_directory && (operation.flags & O_DIRECTORY) != 0) return {.error = ENOTDIR};
  const InodeId inode = InodeOf(operation.place.node);
  if (const absl::Status opened = fs_->Open(inode); !opened.ok()) return OutcomeOf(opened);
  Learn(operation.file, inode);
  const bool truncates = (operation.flags & O_TRUNC) != 0 && !is_for_path;
  if (!truncates || operation.type != FileType::kRegular) return {};
  return OutcomeOf(fs_->SetAttributes(inode, {.size = 0}).status());
}

Outcome ImageTarget::CreateFile(const Operation& operation) {
  const NewFile file{.permissions = operation.mode};
  const bool is_unnamed = operation.variant == Variant::kUnnamed;
  const absl::StatusOr<Entry> entry = is_unnamed
                                          ? fs_->CreateUnnamed(InodeOf(operation.to.node), file)
                                          : fs_->Create(InodeOf(operation.place.parent), operation.place.name, file);
  if (!entry.ok()) return OutcomeOf(entry.status());
  Learn(operation.place.node, entry->inode);
  if (!is_unnamed) {
    if (const absl::Status opened = fs_->Open(entry->inode); !opened.ok()) return OutcomeOf(opened);
  }
  Learn(operation.file, entry->inode);
  return {};
}

Outcome ImageTarget::CloseFile(const Operation& operation) {
  InodeId inode;
  {
    const MutexLock lock(mutex_);
    const auto found = files_.find(operation.file);
    if (found == files_.end()) return {.is_performed = false};
    inode = found->second;
    files_.erase(found);
  }
  fs_->Close(inode);
  return {};
}

Outcome ImageTarget::Read(const Operation& operation) {
  const InodeId inode = InodeOf(operation);
  Outcome outcome;
  const std::span<char> buffer = ThreadBuffer(std::min(operation.length, kMostContent.value));
  do {
    const uint64_t wanted = std::min(operation.length - outcome.count, kMostContent.value);
    const absl::StatusOr<size_t> count = fs_->Read(inode, operation.offset + outcome.count, buffer.first(wanted));
    if (!count.ok()) return OutcomeOf(count.status());
    outcome.count += *count;
    if (*count < wanted) break;
  } while (outcome.count < operation.length);
  return outcome;
}

Outcome ImageTarget::Write(const Operation& operation) {
  const InodeId inode = InodeOf(operation);
  Outcome outcome;
  while (outcome.count < operation.length) {
    const uint64_t offset = operation.offset + outcome.count;
    const uint64_t wanted = std::min(operation.length - outcome.count, kMostContent.value);
    const std::string_view bytes = contents_.At(operation.place.node, offset, wanted);
    if (operation.kind == OperationKind::kAppend) {
      const absl::StatusOr<uint64_t> where = fs_->Append(inode, bytes);
      if (!where.ok()) return OutcomeOf(where.status());
      outcome.count += wanted;
      continue;
    }
    const absl::StatusOr<size_t> count = fs_->Write(inode, offset, bytes);
    if (!count.ok()) return OutcomeOf(count.status());
    outcome.count += *count;
    if (*count < wanted) break;
  }
  return outcome;
}

Outcome ImageTarget::Truncate(const Operation& operation) {
  return OutcomeOf(fs_->SetAttributes(InodeOf(operation), {.size = operation.length}).status());
}

Outcome ImageTarget::Allocate(const Operation& operation) {
  const std::optional<AllocateMode> mode = AllocateModeOf(static_cast<int>(operation.flags));
  if (!mode.has_value()) return {.error = EOPNOTSUPP};
  return OutcomeOf(fs_->Allocate(InodeOf(operation), *mode, operation.offset, operation.length));
}

Outcome ImageTarget::CopyRange(const Operation& operation) {
  const InodeId from = InodeOf(operation.file);
  const InodeId to = InodeOf(operation.to_file);
  Outcome outcome;
  while (outcome.count < operation.length) {
    const absl::StatusOr<uint64_t> count =
        fs_->CopyRange(from, operation.offset + outcome.count, to, operation.to_offset + outcome.count,
                       operation.length - outcome.count);
    if (!count.ok()) return OutcomeOf(count.status());
    if (*count == 0) break;
    outcome.count += *count;
  }
  return outcome;
}

Outcome ImageTarget::SyncAll(const Operation& operation) {
  if (operation.variant == Variant::kWriteback) return {.is_performed = false};
  return OutcomeOf(fs_->Sync());
}

Outcome ImageTarget::Seek(const Operation& operation) {
  const InodeId inode = InodeOf(operation);
  if (operation.variant == Variant::kEnd) {
    const absl::StatusOr<FileAttributes> attributes = fs_->GetAttributes(inode);
    if (!attributes.ok()) return OutcomeOf(attributes.status());
    return {.count = attributes->size};
  }
  const absl::StatusOr<uint64_t> offset = operation.variant == Variant::kData ? fs_->SeekData(inode, operation.offset)
                                                                              : fs_->SeekHole(inode, operation.offset);
  if (!offset.ok()) return OutcomeOf(offset.status());
  return {.count = *offset};
}

}  // namespace betr::replay
