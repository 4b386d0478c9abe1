// SPDX-License-Identifier: Apache-2.0
// One call of the file system, by path, with everything that it depends on. Workloads are turned into these. driver.h
// performs them on a file system, model.h on the oracle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "betr/filesystem.h"

namespace betr::ace {

struct Call {
  enum class Kind : uint8_t {
    kCreate,
    kMakeDirectory,
    kMakeSymlink,  // at `other`, with the text `path`
    kMakeFifo,
    kUnnamed,  // a file without a name in the directory `path`, which stays open
    kOpen,     // `path` stays open
    kWrite,
    kAllocate,
    kTruncate,
    kCopyRange,
    kLink,
    kUnlink,
    kRemoveDirectory,
    kRemoveTree,
    kDropLinks,  // for the oracle alone: removes the names of links below `path`
    kRename,
    kLeave,  // a rename that leaves a new file under the old name
    kExchange,
    kClone,
    kSetXattr,
    kRemoveXattr,
    kSetMode,
    kSetOwner,
    kSetTimes,
    kSync,  // also fsync of `path`
  };
  Kind kind = Kind::kSync;
  std::string path{};
  std::string other{};
  uint64_t offset = 0;
  uint64_t length = 0;  // of a range or of the value of an xattr; a new size
  AllocateMode mode = AllocateMode::kExtend;
  uint64_t seed = 0;  // of the bytes that are written
};

// Whether the call changes one inode and no name.
bool ChangesInode(Call::Kind kind);

// Names and values that some calls use. They are the same for all files, since nothing depends on them.
inline constexpr char kXattrName[] = "user.ace";
inline constexpr uint32_t kFilePermissions = 0644;
inline constexpr uint32_t kDirectoryPermissions = 0755;
inline constexpr uint32_t kNewPermissions = 0640;
inline constexpr uint32_t kNewOwner = 1000;
inline constexpr FileTime kNewTime{1'234'567, 890};

// Returns the bytes of a write or of an xattr. Every sector is different.
std::string BytesOf(uint64_t seed, uint64_t offset, uint64_t length);

// Returns the steps of a call between which a crash may come, as the file system promises. A write has pieces of `unit`
// bytes. The removal of a tree comes after that of links to the outside.
std::vector<Call> StepsOf(const Call& call, uint64_t unit);

// Formats a call: "write foo 0+5000".
std::string FormatCall(const Call& call);

}  // namespace betr::ace
