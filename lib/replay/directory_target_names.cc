// SPDX-License-Identifier: Apache-2.0
// Names and attributes.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>

#include "fs/transfer/host_file.h"
#include "replay/directory_target.h"
#include "replay/thread_buffer.h"

namespace betr::replay {
namespace {

constexpr const char* kAccessAcl = "system.posix_acl_access";

Outcome OutcomeOf(int64_t result) { return {.error = result < 0 ? errno : 0}; }

timespec TimeOf(const TimeChange& change) {
  switch (change.kind) {
    case TimeChange::Kind::kOmit:
      return {0, UTIME_OMIT};
    case TimeChange::Kind::kNow:
      return {0, UTIME_NOW};
    case TimeChange::Kind::kGiven:
      break;
  }
  return fs::ToTimespec(change.time);
}

}  // namespace

// A symlink is acted on itself.
template <class Act>
Outcome DirectoryTarget::OnSubject(const Operation& operation, const Act& act) const {
  ScopedFd found;
  int descriptor = -1;
  if (operation.file != FileNumber{}) {
    descriptor = DescriptorOf(operation.file);
  } else {
    found = host_.Find(PathOf(operation.place));
    descriptor = found.get();
    if (descriptor < 0) return {.error = errno};
  }
  return OutcomeOf(act(ConfinedDirectory::PathOfDescriptor(descriptor).c_str()));
}

template <class Act>
Outcome DirectoryTarget::AtName(const Place& place, const Act& act) const {
  const ConfinedDirectory::Entry entry = host_.Enter(PathOf(place));
  return OutcomeOf(entry.directory() < 0 ? -1 : act(entry.directory(), entry.name()));
}

Outcome DirectoryTarget::Stat(const Operation& operation) {
  struct stat status {};
  const bool is_open = operation.file != FileNumber{} && !operation.is_probe;
  const Outcome outcome = is_open ? OutcomeOf(fstat(DescriptorOf(operation.file), &status))
                                  : AtName(operation.place, [&status](int directory, const char* name) {
                                      return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW);
                                    });
  if (outcome.error != 0) return outcome;
  // A probe for ENOTDIR without a rest: what is there is no directory.
  if (operation.is_probe && !S_ISDIR(status.st_mode)) return {.error = ENOTDIR};
  FileAttributes attributes;
  attributes.type = TypeOfMode(status.st_mode).value_or(FileType::kRegular);
  attributes.permissions = status.st_mode & 07777;
  attributes.size = static_cast<uint64_t>(status.st_size);
  return {.attributes = attributes};
}

Outcome DirectoryTarget::Make(const Operation& operation) {
  const Outcome outcome = AtName(operation.place, [&operation](int directory, const char* name) {
    if (operation.kind == OperationKind::kSymlink) return symlinkat(operation.text.c_str(), directory, name);
    if (operation.kind == OperationKind::kMakeDirectory) return mkdirat(directory, name, operation.mode);
    return mknodat(directory, name, ModeBits(operation.type) | operation.mode, operation.device);
  });
  const bool is_directory = operation.kind == OperationKind::kMakeDirectory;
  if (is_directory && outcome.error == 0) Learn(operation.place.node, operation.place);
  return outcome;
}

Outcome DirectoryTarget::Link(const Operation& operation) {
  return AtName(operation.to, [&](int directory, const char* name) {
    if (operation.file != FileNumber{}) {
      const std::string open = ConfinedDirectory::PathOfDescriptor(DescriptorOf(operation.file));
      return linkat(AT_FDCWD, open.c_str(), directory, name, AT_SYMLINK_FOLLOW);
    }
    const ConfinedDirectory::Entry from = host_.Enter(PathOf(operation.place));
    return from.directory() < 0 ? -1 : linkat(from.directory(), from.name(), directory, name, 0);
  });
}

Outcome DirectoryTarget::Remove(const Operation& operation) {
  const int flags = operation.kind == OperationKind::kRemoveDirectory ? AT_REMOVEDIR : 0;
  return AtName(operation.place, [flags](int directory, const char* name) { return unlinkat(directory, name, flags); });
}

// Nothing for what is no directory.
void DirectoryTarget::Move(NodeNumber node, const Place& place) {
  const MutexLock lock(mutex_);
  const auto found = directories_.find(node);
  if (found != directories_.end()) found->second = {place.parent, place.name};
}

Outcome DirectoryTarget::Rename(const Operation& operation) {
  const ConfinedDirectory::Entry from = host_.Enter(PathOf(operation.place));
  if (from.directory() < 0) return OutcomeOf(-1);
  const Outcome outcome = AtName(operation.to, [&](int directory, const char* name) {
    return renameat2(from.directory(), from.name(), directory, name, operation.flags);
  });
  if (outcome.error != 0 || operation.place.node == operation.to.node) return outcome;
  Move(operation.place.node, operation.to);
  if ((operation.flags & RENAME_EXCHANGE) != 0) Move(operation.to.node, operation.place);
  return outcome;
}

Outcome DirectoryTarget::ChangeMode(const Operation& operation) {
  return OnSubject(operation, [&operation](const char* path) {
    if (operation.variant == Variant::kAcl && operation.file != FileNumber{}) {
      const int result = setxattr(path, kAccessAcl, operation.value.data(), operation.value.size(), 0);
      if (result == 0 || errno != EOPNOTSUPP) return result;
    }
    return chmod(path, operation.mode);
  });
}

Outcome DirectoryTarget::ChangeOwner(const Operation& operation) {
  const uid_t uid = operation.uid.value_or(-1);
  const gid_t gid = operation.gid.value_or(-1);
  if (operation.file != FileNumber{}) {
    return OnSubject(operation, [uid, gid](const char* path) { return chown(path, uid, gid); });
  }
  return AtName(operation.place, [uid, gid](int directory, const char* name) {
    return fchownat(directory, name, uid, gid, AT_SYMLINK_NOFOLLOW);
  });
}

Outcome DirectoryTarget::ChangeTimes(const Operation& operation) {
  const std::array<timespec, 2> times{TimeOf(operation.accessed), TimeOf(operation.modified)};
  if (operation.file != FileNumber{}) {
    return OnSubject(operation, [&times](const char* path) { return utimensat(AT_FDCWD, path, times.data(), 0); });
  }
  return AtName(operation.place, [&times](int directory, const char* name) {
    return utimensat(directory, name, times.data(), AT_SYMLINK_NOFOLLOW);
  });
}

Outcome DirectoryTarget::Xattr(const Operation& operation) {
  const char* name = operation.text.c_str();
  const std::string& value = operation.value;
  constexpr size_t kMostValue = 65536;
  const std::span<char> buffer = ThreadBuffer(kMostValue);
  return OnSubject(operation, [&](const char* path) -> ssize_t {
    switch (operation.kind) {
      case OperationKind::kGetXattr:
        return getxattr(path, name, buffer.data(), kMostValue);
      case OperationKind::kListXattrs:
        return listxattr(path, buffer.data(), kMostValue);
      case OperationKind::kRemoveXattr:
        return removexattr(path, name);
      default:
        return setxattr(path, name, value.data(), value.size(), static_cast<int>(operation.flags));
    }
  });
}

Outcome DirectoryTarget::ReadLink(const Operation& operation) {
  const std::span<char> buffer = ThreadBuffer(PATH_MAX);
  const size_t size = std::clamp<size_t>(operation.length, 1, PATH_MAX);
  ssize_t count = 0;
  const auto read = [&](int directory, const char* name) {
    return count = readlinkat(directory, name, buffer.data(), size);
  };
  const bool is_open = operation.file != FileNumber{};
  const Outcome outcome = is_open ? OutcomeOf(read(DescriptorOf(operation.file), "")) : AtName(operation.place, read);
  return outcome.error != 0 ? outcome : Outcome{.count = static_cast<uint64_t>(count)};
}

Outcome DirectoryTarget::Truncate(const Operation& operation) {
  const auto length = static_cast<off_t>(operation.length);
  const bool is_open = operation.file != FileNumber{};
  if (is_open && ftruncate(DescriptorOf(operation.file), length) == 0) return {};
  // What is open for reading alone may have been truncated through /proc.
  return OnSubject(operation, [length](const char* path) { return truncate(path, length); });
}

Outcome DirectoryTarget::OnAttributes(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kStat:
      return Stat(operation);
    case OperationKind::kReadLink:
      return ReadLink(operation);
    case OperationKind::kTruncate:
      return Truncate(operation);
    case OperationKind::kChangeMode:
      return ChangeMode(operation);
    case OperationKind::kChangeOwner:
      return ChangeOwner(operation);
    case OperationKind::kChangeTimes:
      return ChangeTimes(operation);
    default:
      return Xattr(operation);
  }
}

}  // namespace betr::replay
