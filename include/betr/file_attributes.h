// SPDX-License-Identifier: Apache-2.0
// What stat(2) says about a file, and how to request changes of it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace betr {

// Stored in the image: never renumber.
enum class FileType : uint8_t {
  kRegular = 1,
  kDirectory = 2,
  kSymlink = 3,
  kFifo = 4,
  kSocket = 5,
  kCharDevice = 6,
  kBlockDevice = 7,
};

inline bool IsDevice(FileType type) { return type == FileType::kCharDevice || type == FileType::kBlockDevice; }

// Returns the S_IF... bits of st_mode.
uint32_t ModeBits(FileType type);
// The inverse of ModeBits. Returns nothing for bits that mean no type.
std::optional<FileType> TypeOfMode(uint32_t mode);

// A time since 1970-01-01 00:00 UTC. Invariant: nanoseconds < 10^9, before 1970 too.
struct FileTime {
  int64_t seconds = 0;
  uint32_t nanoseconds = 0;

  friend auto operator<=>(const FileTime&, const FileTime&) = default;
};

struct FileAttributes {
  // st_ino. Renames and remounts keep it. A clone has a different one than its source. Never reused. See
  // docs/filesystem.md.
  uint64_t inode_number = 0;
  FileType type = FileType::kRegular;
  uint32_t permissions = 0;  // the lower 12 bits of st_mode
  uint32_t links = 1;        // of a directory: 2 + the number of its subdirectories
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint64_t device = 0;  // st_rdev; devices only
  uint64_t size = 0;    // bytes of a regular file; length of a symlink's target; 4096 for a directory
  uint64_t blocks = 0;  // of 512 bytes, computed from the size: sharing and compression do not show
  FileTime accessed;
  FileTime modified;
  FileTime changed;
  FileTime born;

  uint32_t mode() const { return ModeBits(type) | permissions; }
};

// A change of the attributes that are set. Any change also sets `changed` to now, unless `changed` is given, which only
// copies of trees should do.
struct AttributeChange {
  std::optional<uint32_t> permissions{};
  std::optional<uint32_t> uid{};
  std::optional<uint32_t> gid{};
  std::optional<uint64_t> size{};  // regular files: truncates or extends by a hole, and sets `modified` to now
  std::optional<FileTime> accessed{};
  std::optional<FileTime> modified{};
  std::optional<FileTime> changed{};
  std::optional<FileTime> born{};
};

// A file to be made.
struct NewFile {
  FileType type = FileType::kRegular;
  uint32_t permissions = 0644;  // the caller has applied its umask
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint64_t device = 0;   // of devices
  std::string target{};  // of symlinks: 1 to 4095 bytes
  // Names and values. Errors as for SetXattr.
  std::vector<std::pair<std::string, std::string>> xattrs{};
};

}  // namespace betr
