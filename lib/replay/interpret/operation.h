// SPDX-License-Identifier: Apache-2.0
// What a trace does to the file system, call by call, without processes, descriptors and relative paths. This is the
// language between the interpreter of a trace and what it is replayed on. Nodes and open files have numbers. An
// operation names a node by its number and, if the call used a path, by its directory and name.
//
// Before an operation uses a node, the target has learnt its number, from a kLookup or because an operation made the
// node. After a kForget the number is not used again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "betr/file_attributes.h"
#include "betr/units.h"
#include "replay/interpret/name_space.h"
#include "replay/trace/process_event.h"

namespace betr::replay {

// Identifies an open file description. Never used twice. 0 is none.
using FileNumber = Ordinal<struct FileNumberTag>;

// The kinds that a report tells apart.
enum class OperationKind : uint8_t {
  kLookup,
  kOpen,
  kCreate,  // an open that makes a file
  kClose,
  kRead,
  kWrite,
  kAppend,
  kTruncate,
  kAllocate,
  kCopyRange,
  kSync,   // sync, syncfs
  kFsync,  // fsync, fdatasync, sync_file_range, msync; also after writes that O_SYNC, RWF_DSYNC, ... make durable
  kSeek,   // SEEK_END, SEEK_DATA, SEEK_HOLE
  kStat,   // stat, access, statx
  kReadLink,
  kList,  // the getdents of one reading of a directory
  kMakeDirectory,
  kMakeNode,
  kSymlink,
  kLink,
  kUnlink,
  kRemoveDirectory,
  kRename,
  kChangeMode,
  kChangeOwner,
  kChangeTimes,
  kGetXattr,
  kListXattrs,
  kSetXattr,
  kRemoveXattr,
  kStatFs,
  kForget,  // a node that nothing needs any more; costs nothing
};
inline constexpr size_t kOperationKinds = static_cast<size_t>(OperationKind::kForget) + 1;

// "open", "create", "rename", ...
std::string_view NameOf(OperationKind kind);

// The most that one call of Linux can read or write.
inline constexpr uint64_t kMostMoved = 0x7ffff000;

// How an operation is meant, where the kind alone does not say.
enum class Variant : uint8_t {
  kNone,
  kData,       // kSync, kFsync: fdatasync; kSeek: SEEK_DATA
  kHole,       // kSeek: SEEK_HOLE
  kEnd,        // kSeek: SEEK_END
  kWriteback,  // kFsync: sync_file_range, a hint
  kExistence,  // kStat: access
  kUnnamed,    // kCreate: O_TMPFILE
  kAcl,        // kChangeMode through system.posix_acl_access
};

// A time to set.
struct TimeChange {
  enum class Kind : uint8_t { kOmit, kNow, kGiven };
  Kind kind = Kind::kOmit;
  FileTime time{};
};

struct Operation {
  OperationKind kind = OperationKind::kStat;
  Variant variant = Variant::kNone;
  Place place{};                       // what it is about; kLink, kRename: what there is
  Place to{};                          // kLink, kRename: the new name; kCopyRange: the node written to
  FileNumber file{};                   // for calls on descriptors; kOpen, kCreate: the number that the file gets
  FileNumber to_file{};                // kCopyRange; kOpen: what is open and led there, if no name did
  bool is_probe = false;               // the path does not lead there: only check that it does not
  bool is_at_position = false;         // kRead, kWrite, kAppend: where the descriptor stands, which is moved
  bool is_growing = false;             // kWrite: the file gets longer
  uint32_t flags = 0;                  // open: of open(2); rename: of renameat2(2); allocate: of fallocate(2)
  uint32_t mode = 0;                   // permissions, umask applied
  FileType type = FileType::kRegular;  // kLookup, kOpen: of the node; kMakeNode, ...: of what is made; kRename:
                                       // kDirectory if a directory gets another path
  uint64_t device = 0;
  std::optional<uint32_t> uid{};
  std::optional<uint32_t> gid{};
  uint64_t offset = 0;
  uint64_t to_offset = 0;
  uint64_t length = 0;
  TimeChange accessed{};
  TimeChange modified{};
  std::string text{};   // target of a symlink, name of an xattr
  std::string value{};  // of an xattr

  // The result of the call, as the trace has it.
  int expected_error = 0;
  std::optional<uint64_t> expected_count{};             // bytes, or an offset
  std::optional<FileAttributes> expected_attributes{};  // type, permissions, size
  ThreadNumber thread = 0;
  uint64_t line = 0;
  std::chrono::nanoseconds time{0};  // when the call began in the trace; 0 if the trace does not tell
};

// The result of the operation in the replay.
struct Outcome {
  int error = 0;
  uint64_t count = 0;  // bytes read, written, copied; the offset of a kSeek
  std::optional<FileAttributes> attributes{};
  bool is_performed = true;  // false if the target had nothing to do
};

}  // namespace betr::replay
