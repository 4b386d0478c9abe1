// SPDX-License-Identifier: Apache-2.0
#include "acl.h"

#include <linux/posix_acl.h>

#include <algorithm>
#include <cerrno>

#include "base/coding.h"
#include "base/status.h"

namespace betr::fuse {
namespace {

constexpr uint32_t kVersion = 2;
constexpr size_t kHeaderSize = 4;
constexpr size_t kEntrySize = 8;

}  // namespace

absl::StatusOr<Acl> Acl::Decode(std::string_view value) {
  const absl::Status invalid = ErrnoError(EINVAL, "access control list");
  if (value.size() < kHeaderSize || (value.size() - kHeaderSize) % kEntrySize != 0) return invalid;
  if (LoadFixed<uint32_t>(value.data()) != kVersion) return invalid;
  Acl acl;
  for (size_t at = kHeaderSize; at < value.size(); at += kEntrySize) {
    const char* const entry = value.data() + at;
    acl.entries_.push_back(
        {LoadFixed<uint16_t>(entry), LoadFixed<uint16_t>(entry + 2), LoadFixed<uint32_t>(entry + 4)});
  }
  for (const uint16_t tag : {ACL_USER_OBJ, ACL_GROUP_OBJ, ACL_OTHER}) {
    if (acl.Find(tag) == nullptr) return invalid;
  }
  return acl;
}

std::string Acl::Encode() const {
  std::string value;
  PutFixed32(&value, kVersion);
  for (const Entry& entry : entries_) {
    PutFixed16(&value, entry.tag);
    PutFixed16(&value, entry.permissions);
    PutFixed32(&value, entry.id);
  }
  return value;
}

Acl::Entry* Acl::Find(uint16_t tag) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [tag](const Entry& one) { return one.tag == tag; });
  return found == entries_.end() ? nullptr : &*found;
}

Acl::Entry* Acl::GroupClass() {
  Entry* const mask = Find(ACL_MASK);
  return mask != nullptr ? mask : Find(ACL_GROUP_OBJ);
}

bool Acl::IsMode() const {
  return std::none_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.tag == ACL_USER || entry.tag == ACL_GROUP || entry.tag == ACL_MASK;
  });
}

uint32_t Acl::Permissions() const {
  uint32_t permissions = 0;
  bool masked = false;
  for (const Entry& entry : entries_) {
    const uint32_t bits = entry.permissions & 07U;
    if (entry.tag == ACL_USER_OBJ) permissions |= bits << 6;
    if (entry.tag == ACL_OTHER) permissions |= bits;
    if (entry.tag == ACL_MASK || (entry.tag == ACL_GROUP_OBJ && !masked)) {
      permissions = (permissions & ~070U) | bits << 3;
    }
    masked = masked || entry.tag == ACL_MASK;
  }
  return permissions;
}

uint32_t Acl::Narrow(uint32_t permissions) {
  const auto narrow = [&permissions](Entry* entry, unsigned shift) {
    const uint32_t both = entry->permissions & (permissions >> shift) & 07U;
    entry->permissions = static_cast<uint16_t>(both);
    permissions = (permissions & ~(07U << shift)) | both << shift;
  };
  narrow(Find(ACL_USER_OBJ), 6);
  narrow(GroupClass(), 3);
  narrow(Find(ACL_OTHER), 0);
  return permissions;
}

void Acl::SetPermissions(uint32_t permissions) {
  Find(ACL_USER_OBJ)->permissions = static_cast<uint16_t>((permissions >> 6) & 07U);
  GroupClass()->permissions = static_cast<uint16_t>((permissions >> 3) & 07U);
  Find(ACL_OTHER)->permissions = static_cast<uint16_t>(permissions & 07U);
}

absl::Status SetAccessAcl(FileSystem& fs, InodeId inode, std::string_view value) {
  BETR_ASSIGN_OR_RETURN(const Acl acl, Acl::Decode(value));
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs.GetAttributes(inode));
  if (acl.IsMode()) {
    absl::Status removed = fs.RemoveXattr(inode, kAccessAcl);
    if (!removed.ok() && ToErrno(removed) != ENODATA) return removed;
  } else {
    BETR_RETURN_IF_ERROR(fs.SetXattr(inode, kAccessAcl, value));
  }
  AttributeChange change;
  change.permissions = (attributes.permissions & ~0777U) | acl.Permissions();
  return fs.SetAttributes(inode, change).status();
}

absl::Status FollowMode(FileSystem& fs, InodeId inode, uint32_t permissions) {
  const absl::StatusOr<std::string> value = fs.GetXattr(inode, kAccessAcl);
  if (!value.ok()) return ToErrno(value.status()) == ENODATA ? absl::OkStatus() : value.status();
  BETR_ASSIGN_OR_RETURN(Acl acl, Acl::Decode(*value));
  acl.SetPermissions(permissions);
  return fs.SetXattr(inode, kAccessAcl, acl.Encode());
}

}  // namespace betr::fuse
