// SPDX-License-Identifier: Apache-2.0
// POSIX access control lists, as they stand in the xattrs of Linux. The kernel decides by them who may do what; a
// file system has to pass them on to new files, and to keep them and the permission bits in agreement.
//
// A value: the version (2) in four bytes, then entries of tag (2 bytes), permissions (2) and id (4), little-endian.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "betr/filesystem.h"

namespace betr::fuse {

inline constexpr std::string_view kAccessAcl = "system.posix_acl_access";
inline constexpr std::string_view kDefaultAcl = "system.posix_acl_default";

class Acl {
 public:
  // EINVAL for what is none. The kernel has checked its meaning.
  static absl::StatusOr<Acl> Decode(std::string_view value);
  std::string Encode() const;

  // Whether permission bits say the same.
  bool IsMode() const;
  // The nine bits that a file with this list shows.
  uint32_t Permissions() const;
  // For a new file: takes out of both the list and `permissions` what the other one does not allow; the new bits.
  uint32_t Narrow(uint32_t permissions);
  // For chmod.
  void SetPermissions(uint32_t permissions);

 private:
  struct Entry {
    uint16_t tag;
    uint16_t permissions;
    uint32_t id;
  };
  // The entry that the group bits stand for: the mask, if there is one.
  Entry* Find(uint16_t tag);
  Entry* GroupClass();

  std::vector<Entry> entries_;
};

// setxattr of the access list, which also changes the permission bits.
absl::Status SetAccessAcl(FileSystem& fs, InodeId inode, std::string_view value);
// After a chmod: the access list, if there is one, follows.
absl::Status FollowMode(FileSystem& fs, InodeId inode, uint32_t permissions);

}  // namespace betr::fuse
