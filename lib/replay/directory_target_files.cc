// SPDX-License-Identifier: Apache-2.0
// Open files and what is in them.
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/scoped_fd.h"
#include "replay/directory_target.h"
#include "replay/thread_buffer.h"

namespace betr::replay {
namespace {

Outcome OutcomeOf(int64_t result) { return {.error = result < 0 ? errno : 0}; }

}  // namespace

// What is new by the trace must be new here: with O_EXCL nothing is opened that is there, and no symlink followed.
ScopedFd DirectoryTarget::OpenNew(const Operation& operation, int flags) const {
  if (operation.to_file != FileNumber{}) {
    errno = EEXIST;  // what led there is a link of /proc
    return ScopedFd();
  }
  const bool is_unnamed = operation.variant == Variant::kUnnamed;
  const std::string path = is_unnamed ? PathOf(operation.to.node) + "/." : PathOf(operation.place);
  const ConfinedDirectory::Entry entry = host_.Enter(path);
  if (entry.directory() < 0) return ScopedFd();
  const int making = is_unnamed ? O_TMPFILE : O_CREAT | O_EXCL;
  return ScopedFd(openat(entry.directory(), entry.name(), flags | making | O_CLOEXEC, operation.mode));
}

ScopedFd DirectoryTarget::OpenExisting(const Operation& operation, int flags) const {
  const bool is_special = operation.type != FileType::kRegular && operation.type != FileType::kDirectory;
  const bool is_for_path = is_special || (flags & O_PATH) != 0;
  const bool is_open = operation.to_file != FileNumber{};
  ScopedFd found;
  if (!is_open) {
    found = host_.Find(PathOf(operation.place));
    const bool is_done = is_for_path && (flags & O_DIRECTORY) == 0;
    if (is_done || found.get() < 0) return found;
  }
  const int descriptor = is_open ? DescriptorOf(operation.to_file) : found.get();
  if (!is_for_path) return ConfinedDirectory::OpenFound(descriptor, flags);
  // The system call alone has no effect on what is open, whatever that is.
  return ScopedFd(openat(AT_FDCWD, ConfinedDirectory::PathOfDescriptor(descriptor).c_str(),
                         O_PATH | O_CLOEXEC | (flags & O_DIRECTORY)));
}

Outcome DirectoryTarget::OpenFile(const Operation& operation) {
  // Without O_SYNC and O_DSYNC: an operation of its own follows what they make durable. Without O_APPEND, which a
  // program may take away: operations say where they write.
  constexpr uint32_t kKept = O_ACCMODE | O_CREAT | O_TRUNC | O_PATH | O_DIRECTORY;
  const bool is_new = operation.kind == OperationKind::kCreate;
  const auto flags = static_cast<int>(operation.flags & (is_new ? O_ACCMODE | O_TRUNC : kKept));
  ScopedFd file = is_new ? OpenNew(operation, flags) : OpenExisting(operation, flags);
  if (file.get() < 0) return {.error = errno};
  const MutexLock lock(mutex_);
  files_[operation.file] = std::move(file);
  return {};
}

Outcome DirectoryTarget::CloseFile(const Operation& operation) {
  ScopedFd closed(-1);  // without the lock: the last close of a file may take long
  {
    const MutexLock lock(mutex_);
    const auto found = files_.find(operation.file);
    if (found == files_.end()) return {.is_performed = false};
    closed = std::move(found->second);
    files_.erase(found);
  }
  return {};
}

Outcome DirectoryTarget::Read(const Operation& operation) {
  const int descriptor = DescriptorOf(operation.file);
  const std::span<char> buffer = ThreadBuffer(std::min(operation.length, kMostContent.value));
  Outcome outcome;
  do {
    const uint64_t wanted = std::min(operation.length - outcome.count, kMostContent.value);
    const ssize_t count =
        pread(descriptor, buffer.data(), wanted, static_cast<off_t>(operation.offset + outcome.count));
    if (count < 0) return OutcomeOf(count);
    outcome.count += static_cast<uint64_t>(count);
    if (static_cast<uint64_t>(count) < wanted) break;
  } while (outcome.count < operation.length);
  return outcome;
}

Outcome DirectoryTarget::Write(const Operation& operation) {
  const int descriptor = DescriptorOf(operation.file);
  Outcome outcome;
  while (outcome.count < operation.length) {
    const uint64_t offset = operation.offset + outcome.count;
    const uint64_t wanted = std::min(operation.length - outcome.count, kMostContent.value);
    const std::string_view bytes = contents_.At(operation.place.node, offset, wanted);
    const ssize_t count = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0) return OutcomeOf(count);
    outcome.count += static_cast<uint64_t>(count);
    if (static_cast<uint64_t>(count) < wanted) break;
  }
  return outcome;
}

Outcome DirectoryTarget::CopyRange(const Operation& operation) {
  const int from = DescriptorOf(operation.file);
  const int to = DescriptorOf(operation.to_file);
  auto from_offset = static_cast<loff_t>(operation.offset);
  auto to_offset = static_cast<loff_t>(operation.to_offset);
  Outcome outcome;
  while (outcome.count < operation.length) {
    const ssize_t count = copy_file_range(from, &from_offset, to, &to_offset, operation.length - outcome.count, 0);
    if (count < 0) return OutcomeOf(count);
    if (count == 0) break;
    outcome.count += static_cast<uint64_t>(count);
  }
  return outcome;
}

Outcome DirectoryTarget::SyncFile(const Operation& operation) {
  const int descriptor = DescriptorOf(operation.file);
  switch (operation.variant) {
    case Variant::kData:
      return OutcomeOf(fdatasync(descriptor));
    case Variant::kWriteback:
      return OutcomeOf(sync_file_range(descriptor, static_cast<off_t>(operation.offset),
                                       static_cast<off_t>(operation.length), SYNC_FILE_RANGE_WRITE));
    default:
      return OutcomeOf(fsync(descriptor));
  }
}

Outcome DirectoryTarget::Seek(const Operation& operation) {
  int whence = SEEK_END;
  if (operation.variant == Variant::kData) whence = SEEK_DATA;
  if (operation.variant == Variant::kHole) whence = SEEK_HOLE;
  const off_t offset = whence == SEEK_END ? 0 : static_cast<off_t>(operation.offset);
  const off_t result = lseek(DescriptorOf(operation.file), offset, whence);
  if (result < 0) return OutcomeOf(result);
  return {.count = static_cast<uint64_t>(result)};
}

Outcome DirectoryTarget::ListDirectory(const Operation& operation) {
  const int descriptor = DescriptorOf(operation.file);
  constexpr size_t kBufferSize = 32768;
  const std::span<char> buffer = ThreadBuffer(kBufferSize);
  if (lseek(descriptor, 0, SEEK_SET) < 0) return OutcomeOf(-1);
  Outcome outcome;
  while (true) {
    const int64_t count = syscall(SYS_getdents64, descriptor, buffer.data(), kBufferSize);
    if (count < 0) return OutcomeOf(count);
    if (count == 0) return outcome;
    outcome.count += static_cast<uint64_t>(count);
  }
}

}  // namespace betr::replay
