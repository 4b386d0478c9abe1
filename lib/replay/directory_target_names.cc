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

#include "fs/host_file.h"
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

Outcome DirectoryTarget::Stat(const Operation& operation) {
  struct stat status {};
  const bool is_open = operation.file != FileNumber{} && !operation.is_probe;
  const int result =
      is_open ? fstat(DescriptorOf(operation.file), &status)
              : fstatat(root_descriptor_.get(), PathOf(operation.place).c_str(), &status, AT_SYMLINK_NOFOLLOW);
  if (result < 0) return OutcomeOf(result);
  // A probe for ENOTDIR without a rest: what is there is no directory.
  if (operation.is_probe && !S_ISDIR(status.st_mode)) return {.error = ENOTDIR};
  FileAttributes attributes;
  attributes.type = TypeOfMode(status.st_mode).value_or(FileType::kRegular);
  attributes.permissions = status.st_mode & 07777;
  attributes.size = static_cast<uint64_t>(status.st_size);
  return {.attributes = attributes};
}

Outcome DirectoryTarget::Make(const Operation& operation) {
  const int root = root_descriptor_.get();
  const std::string path = PathOf(operation.place);
  if (operation.kind == OperationKind::kSymlink) {
    return OutcomeOf(symlinkat(operation.text.c_str(), root, path.c_str()));
  }
  if (operation.kind == OperationKind::kMakeNode) {
    return OutcomeOf(mknodat(root, path.c_str(), ModeBits(operation.type) | operation.mode, operation.device));
  }
  const Outcome outcome = OutcomeOf(mkdirat(root, path.c_str(), operation.mode));
  if (outcome.error == 0) Learn(operation.place.node, operation.place);
  return outcome;
}

Outcome DirectoryTarget::Link(const Operation& operation) {
  const std::string to = PathOf(operation.to);
  const int flags = operation.file == FileNumber{} ? 0 : AT_SYMLINK_FOLLOW;
  return OutcomeOf(
      linkat(root_descriptor_.get(), SubjectOf(operation).c_str(), root_descriptor_.get(), to.c_str(), flags));
}

// Nothing for what is no directory.
void DirectoryTarget::Move(NodeNumber node, const Place& place) {
  const MutexLock lock(mutex_);
  const auto found = directories_.find(node);
  if (found != directories_.end()) found->second = {place.parent, place.name};
}

Outcome DirectoryTarget::Rename(const Operation& operation) {
  const std::string from = PathOf(operation.place);
  const std::string to = PathOf(operation.to);
  const Outcome outcome =
      OutcomeOf(renameat2(root_descriptor_.get(), from.c_str(), root_descriptor_.get(), to.c_str(), operation.flags));
  if (outcome.error != 0 || operation.place.node == operation.to.node) return outcome;
  Move(operation.place.node, operation.to);
  if ((operation.flags & RENAME_EXCHANGE) != 0) Move(operation.to.node, operation.place);
  return outcome;
}

Outcome DirectoryTarget::ChangeMode(const Operation& operation) {
  const std::string subject = SubjectOf(operation);
  if (operation.variant == Variant::kAcl && operation.file != FileNumber{}) {
    const int result = setxattr(subject.c_str(), kAccessAcl, operation.value.data(), operation.value.size(), 0);
    if (result == 0 || errno != EOPNOTSUPP) return OutcomeOf(result);
  }
  return OutcomeOf(fchmodat(root_descriptor_.get(), subject.c_str(), operation.mode, 0));
}

Outcome DirectoryTarget::ChangeTimes(const Operation& operation) {
  const std::array<timespec, 2> times{TimeOf(operation.accessed), TimeOf(operation.modified)};
  const int flags = operation.file == FileNumber{} ? AT_SYMLINK_NOFOLLOW : 0;
  return OutcomeOf(utimensat(root_descriptor_.get(), SubjectOf(operation).c_str(), times.data(), flags));
}

// Of open files by /proc, of names by the path of the directory: there are no calls that are relative to a descriptor.
Outcome DirectoryTarget::Xattr(const Operation& operation) {
  const bool is_open = operation.file != FileNumber{};
  const std::string path = is_open ? SubjectOf(operation) : directory_ + "/" + SubjectOf(operation);
  const char* name = operation.text.c_str();
  constexpr size_t kMostValue = 65536;
  const std::span<char> buffer = ThreadBuffer(kMostValue);
  switch (operation.kind) {
    case OperationKind::kGetXattr:
      return OutcomeOf(is_open ? getxattr(path.c_str(), name, buffer.data(), kMostValue)
                               : lgetxattr(path.c_str(), name, buffer.data(), kMostValue));
    case OperationKind::kListXattrs:
      return OutcomeOf(is_open ? listxattr(path.c_str(), buffer.data(), kMostValue)
                               : llistxattr(path.c_str(), buffer.data(), kMostValue));
    case OperationKind::kRemoveXattr:
      return OutcomeOf(is_open ? removexattr(path.c_str(), name) : lremovexattr(path.c_str(), name));
    default:
      break;
  }
  const auto flags = static_cast<int>(operation.flags);
  const std::string& value = operation.value;
  return OutcomeOf(is_open ? setxattr(path.c_str(), name, value.data(), value.size(), flags)
                           : lsetxattr(path.c_str(), name, value.data(), value.size(), flags));
}

Outcome DirectoryTarget::OnAttributes(const Operation& operation) {
  const int root = root_descriptor_.get();
  switch (operation.kind) {
    case OperationKind::kStat:
      return Stat(operation);
    case OperationKind::kReadLink: {
      const std::span<char> buffer = ThreadBuffer(PATH_MAX);
      const size_t size = std::clamp<size_t>(operation.length, 1, PATH_MAX);
      const bool is_open = operation.file != FileNumber{};
      const ssize_t count = is_open ? readlinkat(DescriptorOf(operation.file), "", buffer.data(), size)
                                    : readlinkat(root, PathOf(operation.place).c_str(), buffer.data(), size);
      return count < 0 ? OutcomeOf(count) : Outcome{.count = static_cast<uint64_t>(count)};
    }
    case OperationKind::kTruncate: {
      const bool is_open = operation.file != FileNumber{};
      if (is_open && ftruncate(DescriptorOf(operation.file), static_cast<off_t>(operation.length)) == 0) return {};
      // What is open for reading alone may have been truncated through /proc.
      const std::string path = is_open ? SubjectOf(operation) : directory_ + "/" + PathOf(operation.place);
      return OutcomeOf(truncate(path.c_str(), static_cast<off_t>(operation.length)));
    }
    case OperationKind::kChangeMode:
      return ChangeMode(operation);
    case OperationKind::kChangeOwner: {
      const int flags = operation.file == FileNumber{} ? AT_SYMLINK_NOFOLLOW : 0;
      return OutcomeOf(
          fchownat(root, SubjectOf(operation).c_str(), operation.uid.value_or(-1), operation.gid.value_or(-1), flags));
    }
    case OperationKind::kChangeTimes:
      return ChangeTimes(operation);
    default:
      return Xattr(operation);
  }
}

}  // namespace betr::replay
