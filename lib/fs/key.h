// SPDX-License-Identifier: Apache-2.0
// The key schema of the file system: where things lie in the trees "meta" and "data". Keys are composed and parsed only
// here. Below, · stands for a NUL byte, and #n for n as 8 bytes, big-endian.
//
// A directory has a content prefix: each name on the path to it, followed by ·. That of the root is empty.
//
//   content prefix of /usr/lib      usr·lib·
//   entry `libc.so` in it           usr·lib··libc.so       meta: the inode record, or a reference to a link group
//   entry `usr` in the root         ·usr
//
// So the entries of a directory come first and together, in the order of their names. Then comes each subtree, in the
// same order. Everything below a directory is one range, Range::Prefix(content prefix), in both trees:
//
//   ·bin  ·usr  usr··lib  usr··sbin  usr·lib··libc.so  usr·lib··libm.so  usr·sbin··...
//
// Every object (inode) has an object key in "meta". All else that belongs to it has the prefix `object key ·` in
// "data": its blocks, whose numbers stay below 2^32, and the xattrs that are too large for the record.
//
//   block 3 of /usr/lib/libc.so     usr·lib··libc.so·#3    data: up to 4096 bytes; what is missing reads as zero
//   its xattr user.note             usr·lib··libc.so·xuser.note
//
// Names never contain '/', so in each directory the keys that begin with `content prefix /` are free for other things.
// Every range operation on the directory's content takes these along:
//
//   usr·/i#5                        link group 5 whose home is /usr: the inode record of a file with several names
//   usr·/i#5·#3                     data: its block 3
//   usr·/nlib··libc.so              meta: the name lib/libc.so, relative to the home, belongs to a group of it: #5
//
// In the root, keys that begin with `//` concern the file system as a whole. A clone of the root leaves them out:
//
//   //r   the root's inode record        //v   the version record
//   //n   the bound of inode numbers     //o#7 the inode record of orphan 7: unlinked, but open
//   //s   scratch space
//   //e   ranges that are being erased key by key (pending_erases.h)
//
// A directory may be the root of a zone (zones.h). Then its content prefix is in the root's reserved space, whatever
// its path, and the keys of what is below it continue that prefix. Homes outside the zone list names in it by their
// whole keys.
//
//   content prefix of it            /z#6·
//   entry `libc.so` in its `lib`    /z#6·lib··libc.so
//   usr·/n/z#6·lib··libc.so         meta: that name belongs to a group whose home is /usr
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "betr/bound.h"

namespace betr::fs::key {

inline constexpr std::string_view kRootObject = "//r";
inline constexpr std::string_view kVersionKey = "//v";
inline constexpr std::string_view kNumberBoundKey = "//n";
inline constexpr std::string_view kOrphansPrefix = "//o";
inline constexpr std::string_view kScratchPrefix = "//s";
inline constexpr std::string_view kErasesKey = "//e";
// Everything in zones.
inline constexpr std::string_view kZonesPrefix = "/z";
// Everything that a clone of the root leaves out.
inline constexpr std::string_view kGlobalPrefix = "//";

// 1 to 255 bytes, not "." or "..", no '/', no NUL.
bool ValidName(std::string_view name);

std::string Content(std::string_view parent_content, std::string_view name);
std::string Entry(std::string_view content, std::string_view name);
// The content prefix of the root of a zone. Zone 0 is that of the file system's root, whose prefix is empty.
std::string Zone(uint64_t zone);
// ZoneOf: the number of the zone that a key or a content prefix is in. InZone: what follows the zone's prefix.
uint64_t ZoneOf(std::string_view key);
std::string_view InZone(std::string_view key);
// The same key below the name `zone-6` instead of in zone 6. For messages, and for what has lost its place.
std::string OutOfZone(std::string_view key);
// The size of the next content prefix on the way to `content`, after the one of size `above`.
size_t NextContent(std::string_view content, size_t above);
std::string Group(std::string_view home_content, uint64_t id);
std::string Orphan(uint64_t id);

// The prefix of everything in "data" that belongs to an object.
std::string Attachments(std::string_view object);
std::string Block(std::string_view object, uint64_t block);
std::string Xattr(std::string_view object, std::string_view name);
// Under that prefix, the xattrs come after the blocks. XattrsUnder: where they begin. IsXattr: whether what follows the
// prefix is that of an xattr.
Bound XattrsUnder(std::string_view attachments);
bool IsXattr(std::string_view attachment);
// Blocks: `first` to `last` - 1. BlocksFrom: all from `first` on.
Range Blocks(std::string_view object, uint64_t first, uint64_t last);
Range BlocksFrom(std::string_view object, uint64_t first);

// Entries: all entries of a directory, not what is below them. EntriesAfter: those whose names come after `after`.
Range Entries(std::string_view content);
Range EntriesAfter(std::string_view content, std::string_view after);

// The prefixes of all groups of a home, and of the names of its groups.
std::string Groups(std::string_view home_content);
std::string GroupNames(std::string_view home_content);
// GroupName: the key of the record of one name. `relative` is an entry key, or for a range of names a content prefix,
// without the home's content prefix. Keys in another zone than the home are not shortened. Relative and Absolute
// convert one into the other.
std::string GroupName(std::string_view home_content, std::string_view relative);
std::string_view Relative(std::string_view home_content, std::string_view key);
std::string Absolute(std::string_view home_content, std::string_view relative);

// What a key of "meta" means.
struct MetaKey {
  enum class Kind { kEntry, kGroup, kGroupName, kRoot, kVersion, kNumberBound, kOrphan, kScratch, kErases };
  Kind kind = Kind::kEntry;
  std::string_view content;   // of the directory, or of the home
  std::string_view name;      // of an entry
  std::string_view relative;  // of a group name: the entry key relative to `content`
  uint64_t id = 0;            // of a group or orphan
};
// Nothing for what this schema does not know. The views look into `key`.
std::optional<MetaKey> ParseMeta(std::string_view key);

// What a key of "data" means.
struct DataKey {
  std::string_view object;  // the object's key in "meta"
  bool is_xattr = false;
  uint64_t block = 0;
  std::string_view xattr;
};
std::optional<DataKey> ParseData(std::string_view key);

// "usr/lib" for usr·lib·, "zone-6/lib" for /z#6·lib·, for messages (zone_roots.h knows better).
std::string PathOfContent(std::string_view content);
// "usr/lib/libc.so" for the key of an entry; for any other key its escaped bytes.
std::string PathOfObject(std::string_view object);
// The same for people: all of it escaped (base/escape.h).
std::string EscapedPathOfObject(std::string_view object);

}  // namespace betr::fs::key
