// SPDX-License-Identifier: Apache-2.0
// The values of the tree "meta". Each begins with a byte for the kind and one for the version of the encoding. The
// store has checked their checksums, but decoding still trusts nothing.
//
//   inode record      kind 1: an object; see InodeRecord for the fields and record.cc for the bytes
//   reference         kind 2: an entry whose object is a link group: type u8, id u64
//   group name        kind 3: id u64
//   number bound      kind 4: u64
//   version record    kind 5: version u32, creation time
//
// Everything here is pure. Errors: kDataLoss naming `what` and the byte; kUnimplemented for a newer version.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "betr/file_attributes.h"
#include "betr/filesystem.h"
#include "fs/inode_number.h"

namespace betr::fs {

// An extended attribute. A value that is too large for the record is a value of "data" under key::Xattr.
struct XattrRecord {
  std::string name;
  bool external = false;
  uint32_t size = 0;  // of the value
  std::string value;  // unless external

  friend bool operator==(const XattrRecord&, const XattrRecord&) = default;
};

// Values of up to kMaxInlineXattr bytes are kept in the record, as long as all of them together stay within
// kMaxInlineXattrs.
inline constexpr size_t kMaxInlineXattr = 256;
inline constexpr size_t kMaxInlineXattrs = 2048;

// Whether the names of an inode's xattrs, with a new one, fit into kMaxXattrSize bytes, each counted with its NUL, as
// listxattr(2) gives them. If so, the record can be decoded, however many xattrs there are.
bool XattrNamesFit(const std::vector<XattrRecord>& xattrs, std::string_view new_name);

// The largest `reach`: the longest path, and one byte, by which the key of its entry is longer.
inline constexpr size_t kMaxReach = kMaxPathSize + 1;

struct InodeRecord {
  FileType type = FileType::kRegular;
  uint32_t permissions = 0;
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t links = 1;   // of a directory: 2 + subdirectories
  uint64_t number = 0;  // stored inode number; what users see: VisibleNumber(number, context of the place)
  uint64_t size = 0;    // of regular files; no block beyond it exists
  FileTime accessed;
  FileTime modified;
  FileTime changed;
  FileTime born;
  uint64_t device = 0;  // of devices
  std::string target;   // of symlinks
  // Of directories.
  bool link_home = false;           // the groups of all names below, up to the next home, are here
  NumberContext salt = 0;           // of the content
  uint64_t zone = 0;                // whose root it is (zones.h); 0: none, the content lies under the path
  uint64_t reach = 0;               // no entry key below is longer than the content prefix by more than this
  std::vector<XattrRecord> xattrs;  // by name

  friend bool operator==(const InodeRecord&, const InodeRecord&) = default;

  bool IsDirectory() const { return type == FileType::kDirectory; }
  // Whether something may lie under key::Attachments.
  bool HasAttachments() const;
};

std::string EncodeInode(const InodeRecord& record);
absl::StatusOr<InodeRecord> DecodeInode(std::string_view bytes, std::string_view what);
// The same for a link group. kDataLoss for a directory, which cannot be one: it would have no place, and so the root's
// content.
absl::StatusOr<InodeRecord> DecodeGroup(std::string_view bytes, std::string_view what);

// An entry whose object lives in the nearest link home above, as group `id`.
struct Reference {
  FileType type = FileType::kRegular;
  uint64_t id = 0;

  friend bool operator==(const Reference&, const Reference&) = default;
};
std::string EncodeReference(const Reference& reference);
// kDataLoss unless the group's record is of the type that its name says.
absl::Status CheckIsMeant(const Reference& reference, const InodeRecord& group, std::string_view what);

// What an entry may hold.
using EntryRecord = std::variant<InodeRecord, Reference>;
absl::StatusOr<EntryRecord> DecodeEntry(std::string_view bytes, std::string_view what);

std::string EncodeGroupName(uint64_t id);
absl::StatusOr<uint64_t> DecodeGroupName(std::string_view bytes, std::string_view what);

std::string EncodeNumberBound(uint64_t bound);
absl::StatusOr<uint64_t> DecodeNumberBound(std::string_view bytes, std::string_view what);

// Version 1; version 2 if there are, or have been, zones (zones.h).
struct VersionRecord {
  FileTime created;
  bool has_zones = false;
};
std::string EncodeVersion(const VersionRecord& version);
// kUnimplemented for a version that this build does not know.
absl::StatusOr<VersionRecord> DecodeVersion(std::string_view bytes);

// A record as stat(2) shows it in a context.
FileAttributes AttributesOf(const InodeRecord& record, NumberContext context);

}  // namespace betr::fs
