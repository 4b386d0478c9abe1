// SPDX-License-Identifier: Apache-2.0
// Copies trees between the host and a file system: what betrcp and mkfs.betr -d do. fs/tar_copy.h does the same with
// tar archives.
//
// What is at the destination stays, unless it has the name of something that is copied (fs/replace.h). Symbolic links
// are copied, never followed, on either side. Entries are visited in the order of the keys that they get (or have), so
// that the same input always gives the same image and writing is sequential.
//
// Cost of an import: one sequential pass over the input; no reading of the image, except for names in directories that
// were there before; with CopyOptions::update content that is the same is read on neither side, either way, but for
// files of which only some blocks are written. Memory: the names in the directories on the way down, and one entry for
// each inode with several links.
//
// One thread. The destination must not be changed by others meanwhile.
#pragma once

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/filesystem.h"
#include "fs/exclusions.h"

namespace betr::fs {

// What went over so far.
struct CopyTotals {
  uint64_t files = 0;  // entries of all types; a name of a file that was copied before counts
  Bytes bytes{0};      // of content, holes left out
  // How often CopyOptions::unreadable was told of something.
  uint64_t unreadable = 0;
  uint64_t unchanged = 0;  // of the files: what CopyOptions::update left as they were, directories not counted
  uint64_t removed = 0;    // names, by CopyOptions::remove_others and is_layer
  uint64_t excluded = 0;   // names, by CopyOptions::exclusions, without what is below
};

// A file of the host, whatever its name.
struct HostFileId {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const HostFileId&) const = default;
};

struct CopyOptions {
  // Owners, permissions, times, extended attributes and links as they are. Without it: permissions as they are but for
  // the set-id and sticky bits, and on the host the umask, no access control lists (Acl::PermissionsAlone), times of
  // now, the owner below, a copy for each name; directories that are there keep their attributes.
  bool all_attributes = true;
  // Everything belongs to user 0 and group 0. Imports only.
  bool all_root = false;
  // The owner where neither of the above decides. Exports leave it to the system.
  uint32_t uid = 0;
  uint32_t gid = 0;
  // No time in the image is later than this (SOURCE_DATE_EPOCH); nothing else depends on the clock then. Imports only.
  std::optional<FileTime> latest_time;
  // Trees with all attributes: what a file was copied to before keeps its content if it has the same type, size and
  // time of modification, and whatever else is the same; nothing is written then, so what it shares with clones stays
  // shared. An access time alone is no difference. Imports write only the blocks that differ of files of 1 MiB and
  // more, if they have one name; exports leave alone what the host's security modules have attached.
  bool update = false;
  // Trees: what a directory has at the destination, and its original does not, is removed with everything below; so is
  // a directory in the place of a file, and the other way around. Not where the original's names cannot be read, and on
  // the host neither what is mounted below what is named, nor anything in it.
  bool remove_others = false;
  // Imports of archives: they are layers of container images, which say what is gone (fs/tar_layer.h); that is removed,
  // and what has the name of something of another type.
  bool is_layer = false;
  // Told of each name that is removed for one of the two.
  std::function<void(std::string_view path)> removed;
  // Trees: a trial. Nothing on the host is changed, and no content read or written, only counted. An import changes
  // everything else: it is for a file system of which nothing is kept (OverlayDevice).
  bool dry_run = false;
  // Trees: told of each name that is made (`is_new`), and of each file that is written anew or becomes another link.
  std::function<void(std::string_view path, bool is_new)> written;
  // Imports of trees: what is mounted in a tree is not copied, but for the directory that it is mounted on, and nothing
  // is removed from its copy.
  bool one_file_system = false;
  // What is neither copied, nor removed as one of the others: only with the directory that it is in.
  Exclusions exclusions;
  // What holds the file system. It is not copied into itself, and no copy takes its name: EINVAL, but for `left_out`.
  std::optional<HostFileId> image;
  // Told of every entry when it is begun, and of every few MiB of content. An error ends the copy with that error.
  std::function<absl::Status(const CopyTotals& totals, std::string_view path)> progress;
  // Told of each name, list of names, content and extended attribute that cannot be read, by imports from the host, by
  // exports from the file system (IsUnreadable), of each name, owner, mode, time and attribute that an export may not
  // make or set on the host, of a link there that becomes a file of its own, of a file or directory whose name
  // something has that does not give way (fs/replace.h), or whose path would be too long, and of entries of an archive
  // that have no place, and extended attributes there that no file can have: the copy goes on without it. If this is
  // empty, the first one ends it.
  std::function<void(const absl::Status& status)> unreadable;
  // Told of each file in a tree that has no place in its copy, and why: the image itself, in an archive sockets. The
  // copy goes on without it. If this is empty, the image is an error.
  std::function<void(std::string_view what)> left_out;
};

// What is copied, and what it becomes: paths, one on the host and one in the file system.
struct CopyPair {
  std::string from;
  std::string to;
};

// Each `from` on the host becomes its `to` in the file system, whose parent exists; names of one file that are in
// several of them are links again. Extended attributes that the host denies to this user are left out, which is told of
// unless they are not for everybody anyway (trusted, security); copies that have them keep them. Sockets, fifos and
// devices are copied as such.
// Errors name the path and the system call. What was copied before stays, and so does what a file that cannot be opened
// would have replaced. A file that cannot be read to its end is cut where it cannot. The source may change meanwhile: a
// file that is replaced is copied as what it is when it is opened, unless it is no regular file any more.
absl::StatusOr<CopyTotals> ImportTrees(FileSystem* fs, const std::vector<CopyPair>& trees, const CopyOptions& options);

// The way back. Owners are set only by user 0, devices made only by user 0; extended attributes that the host refuses
// as unsupported are left out; without its access control list a file allows its group what the list does, and not what
// the mask says. A file that cannot be read to its end is cut where it cannot.
absl::StatusOr<CopyTotals> ExportTrees(FileSystem* fs, const std::vector<CopyPair>& trees, const CopyOptions& options);

// About how many bytes of content a copy of `inside` has, without looking at all of it. Cost: O(height) nodes.
absl::StatusOr<Bytes> EstimateTree(FileSystem* fs, const std::string& inside);

}  // namespace betr::fs
