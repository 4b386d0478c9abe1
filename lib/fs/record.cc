// SPDX-License-Identifier: Apache-2.0
// The bytes of an inode record, after kind and version:
//   type u8, flags u8, permissions, uid, gid, links, number, size (varints), four times,
//   devices: device varint; symlinks: target; directories: salt u64 (flag 2), zone varint (flag 4), reach varint,
//   number of xattrs, each: name, external u8, then value (inside) or size varint (external).
// Strings carry their length as a varint; a time is seconds as zigzag varint and nanoseconds as varint.
#include "fs/record.h"

#include <absl/strings/str_format.h>

#include <algorithm>

#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/time_coding.h"

namespace betr::fs {
namespace {

enum class Kind : uint8_t { kInode = 1, kReference = 2, kGroupName = 3, kNumberBound = 4, kVersion = 5 };
constexpr uint8_t kEncoding = 1;
constexpr uint8_t kFlagLinkHome = 1;
constexpr uint8_t kFlagSalt = 2;
constexpr uint8_t kFlagZone = 4;
constexpr uint32_t kVersion = 1;
constexpr uint32_t kVersionWithZones = 2;
constexpr size_t kMaxXattrNames = kMaxXattrSize.value;  // of an inode, each with its NUL
constexpr size_t kMaxXattrs = kMaxXattrNames / 2;       // no name is empty
constexpr uint32_t kDirectorySize = 4096;
constexpr uint32_t kSectorSize = 512;

void PutHead(std::string* out, Kind kind) {
  PutFixed8(out, static_cast<uint8_t>(kind));
  PutFixed8(out, kEncoding);
}

FileType GetType(Decoder* in) {
  const uint8_t type = in->Fixed8();
  if (type < static_cast<uint8_t>(FileType::kRegular) || type > static_cast<uint8_t>(FileType::kBlockDevice)) {
    in->Fail(absl::StrFormat("no such file type: %u", type));
    return FileType::kRegular;
  }
  return static_cast<FileType>(type);
}

void PutXattrs(std::string* out, const std::vector<XattrRecord>& xattrs) {
  PutVarint64(out, xattrs.size());
  for (const XattrRecord& xattr : xattrs) {
    PutLengthPrefixed(out, xattr.name);
    PutFixed8(out, xattr.external ? 1 : 0);
    if (xattr.external) {
      PutVarint64(out, xattr.size);
    } else {
      PutLengthPrefixed(out, xattr.value);
    }
  }
}

void GetXattrs(Decoder* in, std::vector<XattrRecord>* xattrs) {
  const size_t count = in->Count(kMaxXattrs, 3);
  xattrs->reserve(count);
  for (size_t i = 0; i < count && in->ok(); ++i) {
    XattrRecord xattr;
    xattr.name = in->LengthPrefixed(kMaxNameSize);
    const uint8_t external = in->Fixed8();
    if (external > 1 || xattr.name.empty()) in->Fail("an extended attribute without a name, or in an unknown place");
    xattr.external = external == 1;
    if (xattr.external) {
      xattr.size = static_cast<uint32_t>(in->Varint64AtMost(kMaxXattrSize.value));
    } else {
      xattr.value = in->LengthPrefixed(kMaxInlineXattr);
      xattr.size = static_cast<uint32_t>(xattr.value.size());
    }
    if (!xattrs->empty() && xattrs->back().name >= xattr.name) in->Fail("extended attributes are not in order");
    xattrs->push_back(std::move(xattr));
  }
}

void GetTypeSpecific(Decoder* in, uint8_t flags, InodeRecord* record) {
  if (IsDevice(record->type)) record->device = in->Varint64();
  if (record->type == FileType::kSymlink) record->target = in->LengthPrefixed(kMaxPathSize);
  if (!record->IsDirectory()) {
    if (flags != 0) in->Fail("flags of a directory on something else");
    return;
  }
  if ((flags & ~(kFlagLinkHome | kFlagSalt | kFlagZone)) != 0) in->Fail("an unknown flag");
  record->link_home = (flags & kFlagLinkHome) != 0;
  if ((flags & kFlagSalt) != 0) record->salt = in->Fixed64();
  if ((flags & kFlagZone) != 0) record->zone = in->Varint64();
  if ((flags & kFlagZone) != 0 && record->zone == 0) in->Fail("zone 0");
  record->reach = in->Varint64AtMost(kMaxReach);
}

// Reads kind and version; the kind comes out.
uint8_t GetHead(Decoder* in) {
  const uint8_t kind = in->Fixed8();
  const uint8_t version = in->Fixed8();
  if (in->ok() && version != kEncoding) in->Fail(absl::StrFormat("unknown encoding %u of kind %u", version, kind));
  return kind;
}

void Expect(Decoder* in, Kind kind) {
  const uint8_t found = GetHead(in);
  if (found != static_cast<uint8_t>(kind)) {
    in->Fail(absl::StrFormat("kind %u where %u is expected", found, static_cast<uint8_t>(kind)));
  }
}

InodeRecord GetInode(Decoder* in) {
  InodeRecord record;
  record.type = GetType(in);
  const uint8_t flags = in->Fixed8();
  record.permissions = static_cast<uint32_t>(in->Varint64AtMost(07777));
  record.uid = static_cast<uint32_t>(in->Varint64AtMost(UINT32_MAX));
  record.gid = static_cast<uint32_t>(in->Varint64AtMost(UINT32_MAX));
  record.links = static_cast<uint32_t>(in->Varint64AtMost(UINT32_MAX));
  record.number = in->Varint64();
  record.size = in->Varint64AtMost(kMaxFileSize.value);
  record.accessed = GetFileTime(in);
  record.modified = GetFileTime(in);
  record.changed = GetFileTime(in);
  record.born = GetFileTime(in);
  GetTypeSpecific(in, flags, &record);
  GetXattrs(in, &record.xattrs);
  return record;
}

Reference GetReference(Decoder* in) {
  Reference reference;
  reference.type = GetType(in);
  reference.id = in->Fixed64();
  return reference;
}

std::string EncodeNumber(Kind kind, uint64_t number) {
  std::string out;
  PutHead(&out, kind);
  PutFixed64(&out, number);
  return out;
}

absl::StatusOr<uint64_t> DecodeNumber(Kind kind, std::string_view bytes, std::string_view what) {
  Decoder in(bytes);
  Expect(&in, kind);
  const uint64_t number = in.Fixed64();
  BETR_RETURN_IF_ERROR(in.Finish(what));
  return number;
}

}  // namespace

bool XattrNamesFit(const std::vector<XattrRecord>& xattrs, std::string_view new_name) {
  size_t total = new_name.size() + 1;
  for (const XattrRecord& xattr : xattrs) total += xattr.name.size() + 1;
  return total <= kMaxXattrNames;
}

bool InodeRecord::HasAttachments() const {
  return size > 0 || std::any_of(xattrs.begin(), xattrs.end(), [](const XattrRecord& xattr) { return xattr.external; });
}

std::string EncodeInode(const InodeRecord& record) {
  std::string out;
  out.reserve(80 + record.target.size());
  PutHead(&out, Kind::kInode);
  PutFixed8(&out, static_cast<uint8_t>(record.type));
  PutFixed8(&out, static_cast<uint8_t>((record.link_home ? kFlagLinkHome : 0) | (record.salt != 0 ? kFlagSalt : 0) |
                                       (record.zone != 0 ? kFlagZone : 0)));
  for (const uint64_t field : {uint64_t{record.permissions}, uint64_t{record.uid}, uint64_t{record.gid},
                               uint64_t{record.links}, record.number, record.size}) {
    PutVarint64(&out, field);
  }
  for (const FileTime time : {record.accessed, record.modified, record.changed, record.born}) PutFileTime(&out, time);
  if (IsDevice(record.type)) PutVarint64(&out, record.device);
  if (record.type == FileType::kSymlink) PutLengthPrefixed(&out, record.target);
  if (record.IsDirectory()) {
    if (record.salt != 0) PutFixed64(&out, record.salt);
    if (record.zone != 0) PutVarint64(&out, record.zone);
    PutVarint64(&out, record.reach);
  }
  PutXattrs(&out, record.xattrs);
  return out;
}

absl::StatusOr<InodeRecord> DecodeInode(std::string_view bytes, std::string_view what) {
  Decoder in(bytes);
  Expect(&in, Kind::kInode);
  InodeRecord record = GetInode(&in);
  BETR_RETURN_IF_ERROR(in.Finish(what));
  return record;
}

absl::StatusOr<InodeRecord> DecodeGroup(std::string_view bytes, std::string_view what) {
  absl::StatusOr<InodeRecord> record = DecodeInode(bytes, what);
  if (record.ok() && record->IsDirectory()) {
    return absl::DataLossError(absl::StrFormat("%s: a directory with several names", what));
  }
  return record;
}

std::string EncodeReference(const Reference& reference) {
  std::string out;
  PutHead(&out, Kind::kReference);
  PutFixed8(&out, static_cast<uint8_t>(reference.type));
  PutFixed64(&out, reference.id);
  return out;
}

absl::Status CheckIsMeant(const Reference& reference, const InodeRecord& group, std::string_view what) {
  if (group.type == reference.type) return absl::OkStatus();
  return absl::DataLossError(absl::StrFormat("%s: link group %u is of another type", what, reference.id));
}

absl::StatusOr<EntryRecord> DecodeEntry(std::string_view bytes, std::string_view what) {
  Decoder in(bytes);
  const uint8_t kind = GetHead(&in);
  EntryRecord entry;
  if (kind == static_cast<uint8_t>(Kind::kInode)) {
    entry = GetInode(&in);
  } else if (kind == static_cast<uint8_t>(Kind::kReference)) {
    entry = GetReference(&in);
  } else {
    in.Fail(absl::StrFormat("kind %u in a directory", kind));
  }
  BETR_RETURN_IF_ERROR(in.Finish(what));
  return entry;
}

std::string EncodeGroupName(uint64_t id) { return EncodeNumber(Kind::kGroupName, id); }

absl::StatusOr<uint64_t> DecodeGroupName(std::string_view bytes, std::string_view what) {
  return DecodeNumber(Kind::kGroupName, bytes, what);
}

std::string EncodeNumberBound(uint64_t bound) { return EncodeNumber(Kind::kNumberBound, bound); }

absl::StatusOr<uint64_t> DecodeNumberBound(std::string_view bytes, std::string_view what) {
  return DecodeNumber(Kind::kNumberBound, bytes, what);
}

std::string EncodeVersion(const VersionRecord& version) {
  std::string out;
  PutHead(&out, Kind::kVersion);
  PutFixed32(&out, version.has_zones ? kVersionWithZones : kVersion);
  PutFileTime(&out, version.created);
  return out;
}

absl::StatusOr<VersionRecord> DecodeVersion(std::string_view bytes) {
  constexpr std::string_view kWhat = "file system version";
  Decoder in(bytes);
  Expect(&in, Kind::kVersion);
  const uint32_t version = in.Fixed32();
  BETR_RETURN_IF_ERROR(in.status(kWhat));
  if (version != kVersion && version != kVersionWithZones) {
    return absl::UnimplementedError(
        absl::StrFormat("%s is %u, this program knows %u and %u", kWhat, version, kVersion, kVersionWithZones));
  }
  const FileTime created = GetFileTime(&in);
  BETR_RETURN_IF_ERROR(in.Finish(kWhat));
  return VersionRecord{created, version == kVersionWithZones};
}

FileAttributes AttributesOf(const InodeRecord& record, NumberContext context) {
  FileAttributes attributes;
  attributes.inode_number = VisibleNumber(record.number, context);
  attributes.type = record.type;
  attributes.permissions = record.permissions;
  attributes.links = record.links;
  attributes.uid = record.uid;
  attributes.gid = record.gid;
  attributes.device = record.device;
  attributes.size = record.size;
  if (record.IsDirectory()) attributes.size = kDirectorySize;
  if (record.type == FileType::kSymlink) attributes.size = record.target.size();
  if (record.type != FileType::kSymlink) {
    const uint64_t blocks = (attributes.size + kFileBlock.value - 1) / kFileBlock.value;
    attributes.blocks = blocks * (kFileBlock.value / kSectorSize);
  }
  attributes.accessed = record.accessed;
  attributes.modified = record.modified;
  attributes.changed = record.changed;
  attributes.born = record.born;
  return attributes;
}

}  // namespace betr::fs
