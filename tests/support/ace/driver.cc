// SPDX-License-Identifier: Apache-2.0
#include "support/ace/driver.h"

#include <fmt/format.h>

#include <utility>

#include "base/status.h"

namespace betr::ace {
namespace {

// As a program takes it that write(2) says less than it wanted.
absl::Status Whole(const absl::StatusOr<size_t>& written, uint64_t wanted) {
  if (written.ok() && *written != wanted) {
    return absl::UnavailableError(fmt::format("{} of {} bytes were written", *written, wanted));
  }
  return written.status();
}

bool OpensPath(Call::Kind kind) {
  return ChangesInode(kind) || kind == Call::Kind::kOpen || kind == Call::Kind::kUnnamed;
}

}  // namespace

absl::StatusOr<uint64_t> Driver::Make(const std::string& path, FileType type, uint32_t permissions,
                                      const std::string& target) {
  NewFile file;
  file.type = type;
  file.permissions = permissions;
  file.target = target;
  BETR_ASSIGN_OR_RETURN(const OpenFile made, paths_.Create(path, file));
  return made.attributes().inode_number;
}

absl::StatusOr<uint64_t> Driver::Number(const std::string& path) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, paths_.Stat(path));
  return attributes.inode_number;
}

absl::StatusOr<uint64_t> Driver::Do(const Call& call) {
  if (!OpensPath(call.kind)) return DoWithNames(call);
  BETR_ASSIGN_OR_RETURN(OpenFile file, paths_.Open(call.path));
  if (call.kind == Call::Kind::kOpen) {
    open_.push_back(std::move(file));
    return 0;
  }
  BETR_RETURN_IF_ERROR(DoWithInode(call, file.inode()));
  return 0;
}

absl::Status Driver::Copy(const Call& call, InodeId from) {
  BETR_ASSIGN_OR_RETURN(const OpenFile to, paths_.Open(call.other));
  BETR_ASSIGN_OR_RETURN(const uint64_t copied, fs_.CopyRange(from, call.offset, to.inode(), call.offset, call.length));
  return copied == call.length ? absl::OkStatus() : absl::InternalError(fmt::format("copied {} bytes", copied));
}

absl::Status Driver::DoWithInode(const Call& call, InodeId inode) {
  switch (call.kind) {
    case Call::Kind::kUnnamed: {
      BETR_ASSIGN_OR_RETURN(const Entry entry, fs_.CreateUnnamed(inode, NewFile{}));
      return Whole(fs_.Write(entry.inode, 0, BytesOf(call.seed, 0, kFileBlock.value)), kFileBlock.value);
    }
    case Call::Kind::kWrite:
      return Whole(fs_.Write(inode, call.offset, BytesOf(call.seed, call.offset, call.length)), call.length);
    case Call::Kind::kAllocate:
      return fs_.Allocate(inode, call.mode, call.offset, call.length);
    case Call::Kind::kTruncate:
      return fs_.SetAttributes(inode, {.size = call.length}).status();
    case Call::Kind::kCopyRange:
      return Copy(call, inode);
    case Call::Kind::kSetXattr:
      return fs_.SetXattr(inode, kXattrName, BytesOf(call.seed, 0, call.length));
    case Call::Kind::kRemoveXattr:
      return fs_.RemoveXattr(inode, kXattrName);
    case Call::Kind::kSetMode:
      return fs_.SetAttributes(inode, {.permissions = kNewPermissions}).status();
    case Call::Kind::kSetOwner:
      return fs_.SetAttributes(inode, {.uid = kNewOwner, .gid = kNewOwner}).status();
    default:
      return fs_.SetAttributes(inode, {.accessed = kNewTime, .modified = kNewTime}).status();
  }
}

absl::StatusOr<uint64_t> Driver::DoWithNames(const Call& call) {
  const auto none = [](const absl::Status& status) { return status.ok() ? absl::StatusOr<uint64_t>(0) : status; };
  switch (call.kind) {
    case Call::Kind::kCreate:
      return Make(call.path, FileType::kRegular, kFilePermissions);
    case Call::Kind::kMakeDirectory:
      return Make(call.path, FileType::kDirectory, kDirectoryPermissions);
    case Call::Kind::kMakeFifo:
      return Make(call.path, FileType::kFifo, kFilePermissions);
    case Call::Kind::kMakeSymlink:
      return Make(call.other, FileType::kSymlink, 0777, call.path);
    case Call::Kind::kClone:
      BETR_RETURN_IF_ERROR(paths_.Clone(call.path, call.other));
      return Number(call.other);
    case Call::Kind::kLink:
      return none(paths_.Link(call.path, call.other));
    case Call::Kind::kUnlink:
      return none(paths_.Unlink(call.path));
    case Call::Kind::kRemoveDirectory:
      return none(paths_.RemoveDirectory(call.path));
    case Call::Kind::kRemoveTree:
      return none(paths_.RemoveTree(call.path));
    case Call::Kind::kRename:
      return none(paths_.Rename(call.path, call.other));
    case Call::Kind::kLeave: {
      const NewFile left{.type = FileType::kFifo, .permissions = kFilePermissions};
      BETR_RETURN_IF_ERROR(paths_.Rename(call.path, call.other, RenameMode::kReplace, &left));
      return Number(call.path);
    }
    case Call::Kind::kExchange:
      return none(paths_.Rename(call.path, call.other, RenameMode::kExchange));
    case Call::Kind::kSync:
      return none(fs_.Sync());
    default:
      return absl::InternalError("a call for the oracle alone");
  }
}

}  // namespace betr::ace
