// SPDX-License-Identifier: Apache-2.0
// POSIX access control lists, as they are stored in the xattrs of Linux.
//
// A value is the version (2) in four bytes, then entries of tag (2 bytes), permissions (2) and id (4), little-endian.
// Tags are those of <linux/posix_acl.h>.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "betr/filesystem.h"

namespace betr::fs {

inline constexpr std::string_view kAccessAcl = "system.posix_acl_access";
inline constexpr std::string_view kDefaultAcl = "system.posix_acl_default";

struct AclEntry {
  uint16_t tag;
  uint16_t permissions;
  uint32_t id;  // of a named user or group
};

class Acl {
 public:
  // EINVAL for what is no list. The kernel has checked its meaning.
  static absl::StatusOr<Acl> Decode(std::string_view value);
  // Makes a list of entries in any order. If a mask is needed and missing, adds one that allows what all entries that
  // it masks have. EINVAL unless owner, group and others are there.
  static absl::StatusOr<Acl> Of(std::vector<AclEntry> entries);
  // The list that says the same as permission bits.
  static Acl OfMode(uint32_t permissions);
  std::string Encode() const;
  const std::vector<AclEntry>& entries() const { return entries_; }

  // Whether permission bits say the same.
  bool IsMode() const;
  // The nine bits that a file with this list shows.
  uint32_t Permissions() const;
  // The nine bits for where there are no lists: the group has what this list gives it, not what the mask lets others
  // have.
  uint32_t PermissionsAlone() const;
  // For a new file: takes out of both the list and `permissions` what the other does not allow. Returns the new bits.
  uint32_t Narrow(uint32_t permissions);
  // For chmod.
  void SetPermissions(uint32_t permissions);

 private:
  absl::Status Check();
  AclEntry* Find(uint16_t tag);
  // The entry that the group bits stand for: the mask, if there is one.
  AclEntry* GroupClass();

  std::vector<AclEntry> entries_;
};

// Returns what is left of a file's permissions without its access list, whose value this is: Acl::PermissionsAlone, or
// all of them if the value is no list.
uint32_t WithoutList(uint32_t permissions, std::string_view value);

// Ok also if there is none.
absl::Status RemoveAccessAcl(FileSystem& fs, InodeId inode);
// The same for a directory, and also removes its default list.
absl::Status RemoveAcls(FileSystem& fs, InodeId directory);

}  // namespace betr::fs
