// SPDX-License-Identifier: Apache-2.0
// Copies trees between the host and a file system: what betrcp and mkfs.betr -d do. fs/tar/tar_copy.h does the same
// with tar archives.
//
// What is at the destination stays, unless something that is copied has its name (fs/replace.h). Symbolic links are
// copied, never followed, on either side. Entries are visited in the order of the keys that they get or have. So the
// same input always gives the same image, and writing is sequential.
//
// Cost of an import: one sequential pass over the input. The image is not read, except for names in directories that
// were there before. With CopyOptions::update, in imports and exports, content that is the same is read on neither
// side, except for files of which only some blocks are written.
//
// Memory: the names in the directories on the way down, and one entry for each inode with several links.
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
#include "fs/transfer/exclusions.h"

namespace betr::fs {

// What went over so far.
struct CopyTotals {
  uint64_t files = 0;  // entries of all types; a name of a file that was copied before counts
  Bytes bytes{0};      // of content, holes left out
  // How often CopyOptions::gone_without was called.
  uint64_t gone_without = 0;
  uint64_t unchanged = 0;  // of `files`: those that CopyOptions::update left as they were, without directories
  uint64_t removed = 0;    // names removed for CopyOptions::remove_others and is_layer
  uint64_t excluded = 0;   // names excluded by CopyOptions::exclusions, without what is below them

  CopyTotals& operator+=(const CopyTotals& more) {
    files += more.files;
    bytes += more.bytes;
    gone_without += more.gone_without;
    unchanged += more.unchanged;
    removed += more.removed;
    excluded += more.excluded;
    return *this;
  }
};

// A file of the host, whatever its name.
struct HostFileId {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const HostFileId&) const = default;
};

struct CopyOptions {
  // Copies owners, permissions, times, extended attributes and links as they are. Without it:
  //   - permissions lose the set-id and sticky bits and, on the host, what the umask masks;
  //   - there are no access control lists (Acl::PermissionsAlone);
  //   - times are those of the copy, and the owner is the one below;
  //   - each name gets a copy of its own;
  //   - directories that are there already keep their attributes.
  bool all_attributes = true;
  // Everything belongs to user 0 and group 0. Imports only.
  bool all_root = false;
  // The owner where neither of the above decides. Exports leave it to the system.
  uint32_t uid = 0;
  uint32_t gid = 0;
  // No time in the image is later than this (SOURCE_DATE_EPOCH). Nothing else depends on the clock then. Imports only.
  std::optional<FileTime> latest_time{};
  // Trees with all attributes: whatever is the same in an earlier copy is not written again. A copy keeps its content
  // if it has the same type, size and time of modification. Nothing is written then, so what it shares with clones
  // stays shared. An access time alone is no difference. Of files of 1 MiB and more that have one name, imports write
  // only the blocks that differ. Exports leave alone what the host's security modules have attached.
  bool update = false;
  // Trees: removes what a directory has at the destination and its original does not, with everything below. A
  // directory in the place of a file is removed, too, and the other way around. Nothing is removed where the original's
  // names cannot be read. On the host, what is mounted below a named destination stays, with everything in it.
  bool remove_others = false;
  // Imports of archives: they are layers of container images, which say what is gone (fs/tar/tar_layer.h). That is
  // removed, and so is what has the name of something of another type.
  bool is_layer = false;
  // Told of each name that is removed for `remove_others` or `is_layer`.
  std::function<void(std::string_view path)> removed{};
  // Trees: a trial. Nothing on the host is changed. Content is counted, but neither read nor written. An import changes
  // everything else: it is for a file system of which nothing is kept (OverlayDevice).
  bool dry_run = false;
  // Trees: told of each name that is made (`is_new`), and of each file that is written anew or becomes another link.
  std::function<void(std::string_view path, bool is_new)> written{};
  // Imports of trees: of what is mounted in a tree only the directory that it is mounted on is copied, and nothing is
  // removed from the copy of that directory.
  bool one_file_system = false;
  // What is not copied. Nor is it removed for `remove_others`, except with the directory that it is in.
  Exclusions exclusions{};
  // The file that holds the file system. It is not copied into itself, and no copy takes its name. Either is EINVAL,
  // except that `left_out` is told of it if it is in a tree that is copied.
  std::optional<HostFileId> image{};
  // Told of every entry when it is begun, and of every few MiB of content. An error ends the copy with that error.
  std::function<absl::Status(const CopyTotals& totals, std::string_view path)> progress{};
  // Told of what the copy goes on without. If this is empty, the first such thing ends the copy. It is told of each
  //   - name, list of names, content and extended attribute that cannot be read, by imports from the host, by exports
  //     from the file system (IsUnreadable);
  //   - name, owner, mode, time and attribute that an export may not make or set on the host;
  //   - link there that becomes a file of its own;
  //   - file or directory whose name is taken by something that does not give way (fs/replace.h), or whose path would
  //     be too long;
  //   - entry of an archive that has no place, and extended attribute there that no file can have.
  std::function<void(const absl::Status& status)> gone_without{};
  // Told of each file in a tree that has no place in its copy, and why: the image itself, or a socket when the copy is
  // an archive. The copy goes on without it. If this is empty, the image is an error.
  std::function<void(std::string_view what)> left_out{};
};

// The paths of what is copied and of what it becomes: one on the host, the other in the file system.
struct CopyPair {
  std::string from;
  std::string to;
};

// Copies each `from` on the host to its `to` in the file system. Requires: the parent of `to` exists. Names of one file
// become links again, even if they are in different trees. Sockets, fifos and devices are copied as such.
//
// Extended attributes that the host denies to this user are left out. CopyOptions::gone_without is told of them, except
// of those that are not for everybody anyway (trusted, security). Copies that have them keep them.
//
// The source may change meanwhile. A file that is replaced is copied as what it is when it is opened, unless it is no
// longer a regular file.
//
// Errors name the path and the system call. What was copied before stays. So does what a file that cannot be opened
// would have replaced. A file that cannot be read to its end is cut off where reading failed.
absl::StatusOr<CopyTotals> ImportTrees(FileSystem* fs, const std::vector<CopyPair>& trees, const CopyOptions& options);

// Copies the other way, from the file system to the host. Only user 0 sets owners and makes devices. Extended
// attributes that the host refuses as unsupported are left out. A file that has lost its access control list allows its
// group what the list does, not what the mask says. A file that cannot be read to its end is cut off where reading
// failed.
absl::StatusOr<CopyTotals> ExportTrees(FileSystem* fs, const std::vector<CopyPair>& trees, const CopyOptions& options);

// Estimates how many bytes of content a copy of `inside` has, without looking at all of it. Cost: O(height) nodes.
absl::StatusOr<Bytes> EstimateTree(FileSystem* fs, const std::string& inside);

}  // namespace betr::fs
