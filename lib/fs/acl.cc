// SPDX-License-Identifier: Apache-2.0
#include "fs/acl.h"

#include <linux/posix_acl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/coding.h"
#include "base/status.h"
#include "betr/fs_error.h"

namespace betr::fs {
namespace {

constexpr uint32_t kVersion = 2;
constexpr size_t kHeaderSize = 4;
constexpr size_t kEntrySize = 8;
constexpr uint32_t kNobody = ~0U;  // the id where none is wanted

absl::Status Invalid() { return ErrnoError(EINVAL, "access control list"); }

absl::Status Remove(FileSystem& fs, InodeId inode, std::string_view name) {
  absl::Status removed = fs.RemoveXattr(inode, name);
  if (ToErrno(removed) == ENODATA) return absl::OkStatus();
  return removed;
}

}  // namespace

absl::StatusOr<Acl> Acl::Decode(std::string_view value) {
  const absl::Status invalid = Invalid();
  if (value.size() < kHeaderSize || (value.size() - kHeaderSize) % kEntrySize != 0) return invalid;
  if (LoadFixed<uint32_t>(value.data()) != kVersion) return invalid;
  Acl acl;
  for (size_t at = kHeaderSize; at < value.size(); at += kEntrySize) {
    const char* const entry = value.data() + at;
    acl.entries_.push_back(
        {LoadFixed<uint16_t>(entry), LoadFixed<uint16_t>(entry + 2), LoadFixed<uint32_t>(entry + 4)});
  }
  BETR_RETURN_IF_ERROR(acl.Check());
  return acl;
}

absl::StatusOr<Acl> Acl::Of(std::vector<AclEntry> entries) {
  Acl acl;
  acl.entries_ = std::move(entries);
  BETR_RETURN_IF_ERROR(acl.Check());
  uint32_t masked = 0;
  for (const AclEntry& entry : acl.entries_) {
    const bool is_masked = entry.tag == ACL_USER || entry.tag == ACL_GROUP_OBJ || entry.tag == ACL_GROUP;
    if (is_masked) masked |= entry.permissions;
  }
  if (!acl.IsMode() && acl.Find(ACL_MASK) == nullptr) {
    acl.entries_.push_back({ACL_MASK, static_cast<uint16_t>(masked), kNobody});
  }
  std::sort(acl.entries_.begin(), acl.entries_.end(),
            [](const AclEntry& a, const AclEntry& b) { return std::pair(a.tag, a.id) < std::pair(b.tag, b.id); });
  return acl;
}

Acl Acl::OfMode(uint32_t permissions) {
  Acl acl;
  const auto bits = [permissions](unsigned shift) { return static_cast<uint16_t>(permissions >> shift & 07U); };
  acl.entries_ = {{ACL_USER_OBJ, bits(6), kNobody}, {ACL_GROUP_OBJ, bits(3), kNobody}, {ACL_OTHER, bits(0), kNobody}};
  return acl;
}

absl::Status Acl::Check() {
  for (const uint16_t tag : {ACL_USER_OBJ, ACL_GROUP_OBJ, ACL_OTHER}) {
    if (Find(tag) == nullptr) return Invalid();
  }
  return absl::OkStatus();
}

std::string Acl::Encode() const {
  std::string value;
  PutFixed32(&value, kVersion);
  for (const AclEntry& entry : entries_) {
    PutFixed16(&value, entry.tag);
    PutFixed16(&value, entry.permissions);
    PutFixed32(&value, entry.id);
  }
  return value;
}

AclEntry* Acl::Find(uint16_t tag) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [tag](const AclEntry& one) { return one.tag == tag; });
  return found == entries_.end() ? nullptr : &*found;
}

AclEntry* Acl::GroupClass() {
  AclEntry* const mask = Find(ACL_MASK);
  return mask != nullptr ? mask : Find(ACL_GROUP_OBJ);
}

bool Acl::IsMode() const {
  return std::none_of(entries_.begin(), entries_.end(), [](const AclEntry& entry) {
    return entry.tag == ACL_USER || entry.tag == ACL_GROUP || entry.tag == ACL_MASK;
  });
}

uint32_t Acl::PermissionsAlone() const {
  uint32_t permissions = Permissions();
  for (const AclEntry& entry : entries_) {
    if (entry.tag == ACL_GROUP_OBJ) permissions &= ~070U | (entry.permissions & 07U) << 3;
  }
  return permissions;
}

uint32_t Acl::Permissions() const {
  uint32_t permissions = 0;
  bool masked = false;
  for (const AclEntry& entry : entries_) {
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
  const auto narrow = [&permissions](AclEntry* entry, unsigned shift) {
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

uint32_t WithoutList(uint32_t permissions, std::string_view value) {
  const absl::StatusOr<Acl> list = Acl::Decode(value);
  return list.ok() ? (permissions & ~0777U) | list->PermissionsAlone() : permissions;
}

absl::Status RemoveAccessAcl(FileSystem& fs, InodeId inode) { return Remove(fs, inode, kAccessAcl); }

absl::Status RemoveAcls(FileSystem& fs, InodeId directory) {
  BETR_RETURN_IF_ERROR(Remove(fs, directory, kAccessAcl));
  return Remove(fs, directory, kDefaultAcl);
}

}  // namespace betr::fs
