// SPDX-License-Identifier: Apache-2.0
// What stat(2) says about a file, and how to ask for a change of it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace betr {

// Values of the image's format: never renumber.
enum class FileType : uint8_t {
  kRegular = 1,
  kDirectory = 2,
  kSymlink = 3,
  kFifo = 4,
  kSocket = 5,
  kCharDevice = 6,
  kBlockDevice = 7,
};

// The S_IF... bits of st_mode.
uint32_t ModeBits(FileType type);
// The inverse; nothing for bits that mean no type.
std::optional<FileType> TypeOfMode(uint32_t mode);

// A point of time since 1970-01-01 00:00 UTC. Invariant: nanoseconds < 10^9 (also before 1970).
struct FileTime {
  int64_t seconds = 0;
  uint32_t nanoseconds = 0;

  friend auto operator<=>(const FileTime&, const FileTime&) = default;
};

struct FileAttributes {
  // st_ino: kept by rename and remount, different in source and clone, never used again. See docs/filesystem.md.
  uint64_t inode_number = 0;
  FileType type = FileType::kRegular;
  uint32_t permissions = 0;  // the lower 12 bits of st_mode
  uint32_t links = 1;        // of a directory: 2 + the number of its subdirectories
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint64_t device = 0;  // st_rdev, of devices
  uint64_t size = 0;    // bytes of a regular file; length of a symlink's target; 4096 for a directory
  uint64_t blocks = 0;  // of 512 bytes, computed from the size: what is shared or compressed does not show
  FileTime accessed;
  FileTime modified;
  FileTime changed;
  FileTime born;

  uint32_t mode() const { return ModeBits(type) | permissions; }
};

// What is set is changed. Everything also sets `changed` to now, unless that is given itself (only copies of trees
// should give it).
struct AttributeChange {
  std::optional<uint32_t> permissions{};
  std::optional<uint32_t> uid{};
  std::optional<uint32_t> gid{};
  std::optional<uint64_t> size{};  // regular files: truncate or extend by a hole; also sets `modified` to now
  std::optional<FileTime> accessed{};
  std::optional<FileTime> modified{};
  std::optional<FileTime> changed{};
  std::optional<FileTime> born{};
};

// A file that is to be made.
struct NewFile {
  FileType type = FileType::kRegular;
  uint32_t permissions = 0644;  // the caller has applied its umask
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint64_t device = 0;   // of devices
  std::string target{};  // of symlinks: 1 to 4095 bytes
  // Names and values; errors as of SetXattr.
  std::vector<std::pair<std::string, std::string>> xattrs{};
};

}  // namespace betr
