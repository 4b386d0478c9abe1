// SPDX-License-Identifier: Apache-2.0
#include "fs/tar/tar_acl.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>
#include <grp.h>
#include <linux/posix_acl.h>
#include <pwd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fs/acl.h"

namespace betr::fs {
namespace {

constexpr uint32_t kNoId = ~0U;
constexpr int kLargestId = std::numeric_limits<int>::max();  // what libarchive makes of larger ones, too
constexpr size_t kLongestRecord = size_t{1} << 20;           // bytes of a user or group: members of groups are many

struct List {
  std::string_view xattr;
  int type;
  std::string_view name;
};

constexpr std::array<List, 2> kLists = {{{kAccessAcl, ARCHIVE_ENTRY_ACL_TYPE_ACCESS, "access control list"},
                                         {kDefaultAcl, ARCHIVE_ENTRY_ACL_TYPE_DEFAULT, "default access control list"}}};

struct Tag {
  int in_archive;
  uint16_t in_xattr;
};

constexpr std::array<Tag, 6> kTags = {{{ARCHIVE_ENTRY_ACL_USER_OBJ, ACL_USER_OBJ},
                                       {ARCHIVE_ENTRY_ACL_USER, ACL_USER},
                                       {ARCHIVE_ENTRY_ACL_GROUP_OBJ, ACL_GROUP_OBJ},
                                       {ARCHIVE_ENTRY_ACL_GROUP, ACL_GROUP},
                                       {ARCHIVE_ENTRY_ACL_MASK, ACL_MASK},
                                       {ARCHIVE_ENTRY_ACL_OTHER, ACL_OTHER}}};

using Xattrs = std::map<std::string, std::string>;

// An entry of a list as libarchive has it.
struct Line {
  int type = 0;
  int permissions = 0;
  int tag = 0;
  int id = -1;
  const char* name = nullptr;
};

// After archive_entry_acl_reset.
bool NextLine(archive_entry* entry, int type, Line* line) {
  return archive_entry_acl_next(entry, type, &line->type, &line->permissions, &line->tag, &line->id, &line->name) ==
         ARCHIVE_OK;
}

std::optional<uint32_t> FindUser(const char* name) {
  std::string buffer(kLongestRecord, '\0');
  passwd record{};
  passwd* found = nullptr;
  if (getpwnam_r(name, &record, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return std::nullopt;
  return found->pw_uid;
}

std::optional<uint32_t> FindGroup(const char* name) {
  std::string buffer(kLongestRecord, '\0');
  group record{};
  group* found = nullptr;
  if (getgrnam_r(name, &record, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return std::nullopt;
  return found->gr_gid;
}

absl::StatusOr<uint32_t> IdOf(const Line& line) {
  const bool is_user = line.tag == ARCHIVE_ENTRY_ACL_USER;
  if (!is_user && line.tag != ARCHIVE_ENTRY_ACL_GROUP) return kNoId;
  const char* const name = line.name == nullptr ? "" : line.name;
  if (uint32_t number = 0; absl::SimpleAtoi(name, &number)) return number;
  if (line.id >= 0 && line.id != kLargestId) return static_cast<uint32_t>(line.id);
  const std::optional<uint32_t> found = is_user ? FindUser(name) : FindGroup(name);
  if (found) return *found;
  return absl::InvalidArgumentError(absl::StrFormat("this system has no %s \"%s\"", is_user ? "user" : "group", name));
}

// Returns the first error of an id. That entry and the others are there nevertheless.
absl::Status ReadEntries(archive_entry* entry, int type, std::vector<AclEntry>* entries) {
  absl::Status status;
  if (archive_entry_acl_reset(entry, type) == 0) return status;
  for (Line line; NextLine(entry, type, &line);) {
    for (const Tag& tag : kTags) {
      if (tag.in_archive != line.tag) continue;
      const absl::StatusOr<uint32_t> id = IdOf(line);
      status.Update(id.status());
      entries->push_back({tag.in_xattr, static_cast<uint16_t>(line.permissions & 07), id.value_or(kNoId)});
    }
  }
  return status;
}

absl::StatusOr<std::optional<Acl>> ReadList(archive_entry* entry, int type) {
  std::vector<AclEntry> entries;
  BETR_RETURN_IF_ERROR(ReadEntries(entry, type, &entries));
  if (entries.empty()) return std::nullopt;
  return Acl::Of(std::move(entries));
}

// For where the list is not: whoever it names may be in the group or among the others.
uint32_t PermissionsOfAll(const std::vector<AclEntry>& entries) {
  uint32_t mask = 07;
  for (const AclEntry& one : entries) mask = one.tag == ACL_MASK ? one.permissions : mask;
  uint32_t permissions = 0777;
  for (const AclEntry& one : entries) {
    const uint32_t bits = one.permissions & 07U;
    if (one.tag == ACL_USER_OBJ) permissions &= 077U | bits << 6;
    if (one.tag == ACL_GROUP_OBJ) permissions &= 0707U | (bits & mask) << 3;
    if (one.tag == ACL_OTHER) permissions &= 0770U | bits;
    if (one.tag == ACL_USER || one.tag == ACL_GROUP) permissions &= 0700U | (bits & mask) << 3 | (bits & mask);
  }
  return permissions;
}

absl::Status AddList(archive_entry* entry, int type, const Acl& acl) {
  for (const AclEntry& one : acl.entries()) {
    // As a name, because libarchive's numbers end at half of ours. All know what is meant.
    const bool is_named = one.tag == ACL_USER || one.tag == ACL_GROUP;
    const std::string name = is_named ? std::to_string(one.id) : "";
    for (const Tag& tag : kTags) {
      if (tag.in_xattr != one.tag) continue;
      const int result =
          archive_entry_acl_add_entry(entry, type, one.permissions & 07, tag.in_archive, /*qual=*/-1, name.c_str());
      if (result != ARCHIVE_OK) return absl::InternalError("access control list: libarchive refuses it");
    }
  }
  return absl::OkStatus();
}

// Reading such a list libarchive would take one large number for the other.
bool HasLargeIds(const Acl& acl) {
  return std::any_of(acl.entries().begin(), acl.entries().end(),
                     [](const AclEntry& one) { return one.id != kNoId && one.id >= uint32_t{kLargestId}; });
}

// Where an archive has both, the extended attribute has numbers and not names.
absl::StatusOr<std::optional<Acl>> FindList(archive_entry* entry, const List& list, const Xattrs& xattrs) {
  const auto there = xattrs.find(std::string(list.xattr));
  if (there == xattrs.end()) return ReadList(entry, list.type);
  return Acl::Decode(there->second);
}

void LeaveOut(archive_entry* entry, const List& list, Xattrs* xattrs, uint32_t* permissions) {
  const auto there = xattrs->find(std::string(list.xattr));
  if (there != xattrs->end()) {
    if (list.xattr == kAccessAcl) *permissions = PermissionsWithout(there->second, *permissions);
    xattrs->erase(there);
  } else if (list.xattr == kAccessAcl) {
    std::vector<AclEntry> entries;
    ReadEntries(entry, list.type, &entries).IgnoreError();
    *permissions &= ~0777U | PermissionsOfAll(entries);
  }
}

}  // namespace

uint32_t PermissionsOf(archive_entry* entry) {
  const uint32_t permissions = archive_entry_perm(entry);
  if (archive_entry_acl_reset(entry, ARCHIVE_ENTRY_ACL_TYPE_ACCESS) == 0) return permissions;
  std::optional<int> mask;
  int all = 0;
  for (Line line; NextLine(entry, ARCHIVE_ENTRY_ACL_TYPE_ACCESS, &line);) {
    const bool is_masked = line.tag == ARCHIVE_ENTRY_ACL_USER || line.tag == ARCHIVE_ENTRY_ACL_GROUP_OBJ ||
                           line.tag == ARCHIVE_ENTRY_ACL_GROUP;
    if (is_masked) all |= line.permissions;
    if (line.tag == ARCHIVE_ENTRY_ACL_MASK) mask = line.permissions;
  }
  return (permissions & ~070U) | (static_cast<uint32_t>(mask.value_or(all)) & 07U) << 3;
}

uint32_t PermissionsWithout(std::string_view value, uint32_t permissions) {
  const absl::StatusOr<Acl> acl = Acl::Decode(value);
  return permissions & (~0777U | (acl.ok() ? PermissionsOfAll(acl->entries()) : 0700U));
}

absl::Status ReadAcls(archive_entry* entry, FileType type, std::map<std::string, std::string>* xattrs,
                      uint32_t* permissions, absl::FunctionRef<absl::Status(const absl::Status&)> tell) {
  if (type == FileType::kSymlink) return absl::OkStatus();
  for (const List& list : kLists) {
    const std::string name(list.xattr);
    const absl::StatusOr<std::optional<Acl>> acl = FindList(entry, list, *xattrs);
    if (!acl.ok()) {
      BETR_RETURN_IF_ERROR(tell(Annotate(acl.status(), absl::StrFormat("without its %s", list.name))));
      LeaveOut(entry, list, xattrs, permissions);
      continue;
    }
    if (!*acl) continue;
    const bool is_access = list.xattr == kAccessAcl;
    if (is_access) *permissions = (*permissions & ~0777U) | (*acl)->Permissions();
    if (is_access ? (*acl)->IsMode() : type != FileType::kDirectory) {
      xattrs->erase(name);
    } else {
      xattrs->insert_or_assign(name, (*acl)->Encode());
    }
  }
  return absl::OkStatus();
}

absl::Status AddXattr(archive_entry* entry, const std::string& name, std::string_view value) {
  bool is_list = false;
  for (const List& list : kLists) {
    const absl::StatusOr<Acl> acl = list.xattr == name ? Acl::Decode(value) : absl::NotFoundError(name);
    if (!acl.ok()) continue;
    BETR_RETURN_IF_ERROR(AddList(entry, list.type, *acl));
    is_list = !HasLargeIds(*acl);
  }
  if (!is_list) archive_entry_xattr_add_entry(entry, name.c_str(), value.data(), value.size());
  return absl::OkStatus();
}

}  // namespace betr::fs
