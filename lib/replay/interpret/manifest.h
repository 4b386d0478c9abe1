// SPDX-License-Identifier: Apache-2.0
// Listings of a name space, before and after a trace. One line per object, sorted by the bytes of the path:
//
//   path TAB type TAB mode TAB size TAB extra
//
// path: absolute; bytes up to 0x20, from 0x7f on, and `\` as \ooo (octal). type: f d l p s c b. mode: four octal
// digits. size: bytes of a file, length of a symlink's target, else 0. extra: `-`, `->TARGET` (same escapes), `hl=N`
// for the names of one inode, `dev=MAJOR,MINOR`; several are joined by spaces. A first line may hold
// `# sha256(path,type,size) HEX`: of the lines `path TAB type TAB size NEWLINE`.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "betr/file_attributes.h"

namespace betr::replay {

struct ManifestEntry {
  std::string path{};  // as it is, without escapes
  FileType type = FileType::kRegular;
  uint32_t permissions = 0;
  uint64_t size = 0;
  std::string target{};     // of a symlink
  uint64_t link_group = 0;  // 0: the only name
  uint64_t device = 0;      // as makedev(3) makes it
};

// What is in directories with longer paths is not listed: a trace may tell of a tree of any depth.
inline constexpr size_t kLongestListedPath = 16384;

struct Manifest {
  std::vector<ManifestEntry> entries;  // by path, as bytes
  std::string digest;                  // of the first line, if there was one
};

// Reads a file, plain or compressed by zstd. Errors: kInvalidArgument with the line number if it is not a manifest, and
// those of LineFile.
absl::StatusOr<Manifest> ReadManifest(const std::string& path);

// Parses one line, without its newline. Errors: kInvalidArgument.
absl::StatusOr<ManifestEntry> ParseManifestEntry(std::string_view line);
std::string FormatManifestEntry(const ManifestEntry& entry);

// Puts entries in order.
void Sort(Manifest* manifest);
// Returns the digest of the entries. Requires: they are in order.
std::string DigestOf(const Manifest& manifest);

// Escapes a path.
std::string EscapePath(std::string_view path);

}  // namespace betr::replay
