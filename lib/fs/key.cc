// SPDX-License-Identifier: Apache-2.0
#include "fs/key.h"

#include <absl/strings/str_format.h>

#include "base/coding.h"
#include "base/escape.h"
#include "betr/filesystem.h"

namespace betr::fs::key {
namespace {

constexpr char kNul = '\0';
constexpr char kReserved = '/';
constexpr char kGroupTag = 'i';
constexpr char kGroupNameTag = 'n';
constexpr char kXattrTag = 'x';
constexpr size_t kZoneSize = kZonesPrefix.size() + 9;  // of a zone's prefix
constexpr uint64_t kMaxBlocks = kMaxFileSize / kFileBlock;

std::string Tagged(std::string_view content, char tag) {
  std::string key;
  key.reserve(content.size() + 10);
  key.append(content);
  key.push_back(kReserved);
  key.push_back(tag);
  return key;
}

// Where the content prefix ends: at the NUL of an entry or the '/' of the reserved space. npos if there is neither.
size_t ContentSize(std::string_view key) {
  size_t at = ZoneOf(key) != 0 ? kZoneSize : 0;
  while (at < key.size() && key[at] != kNul && key[at] != kReserved) {
    const size_t end = key.find(kNul, at);
    if (end == std::string_view::npos) return end;
    if (!ValidName(key.substr(at, end - at))) return std::string_view::npos;
    at = end + 1;
  }
  return at < key.size() ? at : std::string_view::npos;
}

std::optional<MetaKey> ParseGlobal(std::string_view key) {
  MetaKey parsed;
  using Kind = MetaKey::Kind;
  if (key == kRootObject) {
    parsed.kind = Kind::kRoot;
  } else if (key == kVersionKey) {
    parsed.kind = Kind::kVersion;
  } else if (key == kNumberBoundKey) {
    parsed.kind = Kind::kNumberBound;
  } else if (key == kErasesKey) {
    parsed.kind = Kind::kErases;
  } else if (key.starts_with(kOrphansPrefix) && key.size() == kOrphansPrefix.size() + 8) {
    parsed.kind = Kind::kOrphan;
    parsed.id = LoadBigEndian64(key.data() + kOrphansPrefix.size());
  } else if (key.starts_with(kScratchPrefix)) {
    parsed.kind = Kind::kScratch;
  } else {
    return std::nullopt;
  }
  return parsed;
}

// The size of the object key at the start of a key of "data".
size_t ObjectSize(std::string_view key) {
  constexpr size_t kNone = std::string_view::npos;
  if (key.starts_with(kGlobalPrefix)) {
    const size_t size = key.starts_with(kOrphansPrefix) ? kOrphansPrefix.size() + 8 : kRootObject.size();
    return key.size() > size ? size : kNone;
  }
  const size_t content = ContentSize(key);
  if (content == kNone) return kNone;
  if (key[content] == kNul) return key.find(kNul, content + 1);
  return key.size() > content + 10 ? content + 10 : kNone;
}

}  // namespace

bool ValidName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameSize && name != "." && name != ".." &&
         name.find_first_of(std::string_view("\0/", 2)) == std::string_view::npos;
}

std::string Content(std::string_view parent_content, std::string_view name) {
  std::string key;
  key.reserve(parent_content.size() + name.size() + 1);
  key.append(parent_content).append(name).push_back(kNul);
  return key;
}

std::string Entry(std::string_view content, std::string_view name) {
  std::string key;
  key.reserve(content.size() + name.size() + 1);
  key.append(content).push_back(kNul);
  key.append(name);
  return key;
}

std::string Zone(uint64_t zone) {
  std::string key;
  if (zone == 0) return key;
  key.append(kZonesPrefix);
  PutBigEndian64(&key, zone);
  key.push_back(kNul);
  return key;
}

uint64_t ZoneOf(std::string_view key) {
  const bool is_in_one = key.size() >= kZoneSize && key.starts_with(kZonesPrefix) && key[kZoneSize - 1] == kNul;
  return is_in_one ? LoadBigEndian64(key.data() + kZonesPrefix.size()) : 0;
}

std::string_view InZone(std::string_view key) { return key.substr(ZoneOf(key) != 0 ? kZoneSize : 0); }

std::string OutOfZone(std::string_view key) {
  const uint64_t zone = ZoneOf(key);
  return (zone != 0 ? Content("", absl::StrFormat("zone-%u", zone)) : "").append(InZone(key));
}

size_t NextContent(std::string_view content, size_t above) {
  return above == 0 && ZoneOf(content) != 0 ? kZoneSize : content.find(kNul, above) + 1;
}

std::string Group(std::string_view home_content, uint64_t id) {
  std::string key = Tagged(home_content, kGroupTag);
  PutBigEndian64(&key, id);
  return key;
}

std::string Orphan(uint64_t id) {
  std::string key(kOrphansPrefix);
  PutBigEndian64(&key, id);
  return key;
}

std::string Attachments(std::string_view object) {
  std::string key;
  key.reserve(object.size() + 9);
  key.append(object).push_back(kNul);
  return key;
}

std::string Block(std::string_view object, uint64_t block) {
  std::string key = Attachments(object);
  PutBigEndian64(&key, block);
  return key;
}

std::string Xattr(std::string_view object, std::string_view name) {
  std::string key = Attachments(object);
  key.push_back(kXattrTag);
  key.append(name);
  return key;
}

Bound XattrsUnder(std::string_view attachments) { return Bound::At(std::string(attachments) + kXattrTag); }

bool IsXattr(std::string_view attachment) { return attachment.starts_with(kXattrTag); }

Range Blocks(std::string_view object, uint64_t first, uint64_t last) {
  return {Bound::At(Block(object, first)), Bound::At(Block(object, last))};
}

Range BlocksFrom(std::string_view object, uint64_t first) { return Blocks(object, first, kMaxBlocks); }

Range Entries(std::string_view content) { return Range::Prefix(Entry(content, "")); }

Range EntriesAfter(std::string_view content, std::string_view after) {
  Range range = Entries(content);
  // No name contains a NUL, so this lies between the entry itself and the next possible one.
  if (!after.empty()) range.lo = Bound::At(Attachments(Entry(content, after)));
  return range;
}

std::string Groups(std::string_view home_content) { return Tagged(home_content, kGroupTag); }

std::string GroupNames(std::string_view home_content) { return Tagged(home_content, kGroupNameTag); }

std::string GroupName(std::string_view home_content, std::string_view relative) {
  return Tagged(home_content, kGroupNameTag).append(relative);
}

std::string_view Relative(std::string_view home_content, std::string_view key) {
  return key.starts_with(home_content) ? key.substr(home_content.size()) : key;
}

std::string Absolute(std::string_view home_content, std::string_view relative) {
  return std::string(ZoneOf(relative) != 0 ? std::string_view() : home_content).append(relative);
}

std::optional<MetaKey> ParseMeta(std::string_view key) {
  if (key.starts_with(kGlobalPrefix)) return ParseGlobal(key);
  const size_t size = ContentSize(key);
  if (size == std::string_view::npos) return std::nullopt;
  MetaKey parsed;
  parsed.content = key.substr(0, size);
  if (key[size] == kNul) {
    parsed.name = key.substr(size + 1);
    return ValidName(parsed.name) ? std::optional(parsed) : std::nullopt;
  }
  const char tag = key.size() > size + 1 ? key[size + 1] : kNul;
  const std::string_view rest = key.size() > size + 1 ? key.substr(size + 2) : std::string_view();
  if (tag == kGroupTag && rest.size() == 8) {
    parsed.kind = MetaKey::Kind::kGroup;
    parsed.id = LoadBigEndian64(rest.data());
    return parsed;
  }
  const std::optional<MetaKey> named = tag == kGroupNameTag ? ParseMeta(rest) : std::nullopt;
  if (!named || named->kind != MetaKey::Kind::kEntry) return std::nullopt;
  // A name has one place in the list. The whole key is used only from outside of the zone.
  if (ZoneOf(rest) != 0 && size > 0 && rest.starts_with(parsed.content)) return std::nullopt;
  parsed.kind = MetaKey::Kind::kGroupName;
  parsed.relative = rest;
  return parsed;
}

std::optional<DataKey> ParseData(std::string_view key) {
  const size_t size = ObjectSize(key);
  if (size == std::string_view::npos || key.size() < size + 2 || key[size] != kNul) return std::nullopt;
  DataKey parsed;
  parsed.object = key.substr(0, size);
  const std::optional<MetaKey> object = ParseMeta(parsed.object);
  if (!object || object->kind == MetaKey::Kind::kGroupName) return std::nullopt;
  const std::string_view rest = key.substr(size + 1);
  if (IsXattr(rest)) {
    parsed.is_xattr = true;
    parsed.xattr = rest.substr(1);
    return parsed.xattr.empty() ? std::nullopt : std::optional(parsed);
  }
  if (rest.size() != 8) return std::nullopt;
  parsed.block = LoadBigEndian64(rest.data());
  return parsed.block < kMaxBlocks ? std::optional(parsed) : std::nullopt;
}

std::string PathOfContent(std::string_view content) {
  std::string path = OutOfZone(content);
  if (!path.empty()) path.pop_back();
  for (char& byte : path) {
    if (byte == kNul) byte = '/';
  }
  return path;
}

std::string PathOfObject(std::string_view object) {
  const std::optional<MetaKey> parsed = ParseMeta(object);
  if (!parsed || parsed->kind != MetaKey::Kind::kEntry) return Escape(object);
  const std::string directory = PathOfContent(parsed->content);
  return directory.empty() ? std::string(parsed->name) : absl::StrFormat("%s/%s", directory, parsed->name);
}

std::string EscapedPathOfObject(std::string_view object) {
  const std::optional<MetaKey> parsed = ParseMeta(object);
  return parsed && parsed->kind == MetaKey::Kind::kEntry ? Escape(PathOfObject(object)) : Escape(object);
}

}  // namespace betr::fs::key
