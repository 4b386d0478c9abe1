// SPDX-License-Identifier: Apache-2.0
// Copies trees between tar archives and a file system. This is in a library of its own, which needs libarchive; libbetr
// does not.
//
// What fs/transfer/tree_copy.h says of what is at the destination, links, order and cost holds here, too, except that
// entries are written in the order of the archive. Sparse files, hard links, extended attributes and times with
// nanoseconds are read and written as pax has them.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "fs/transfer/tree_copy.h"

namespace betr::fs {

// Unpacks what is read from `descriptor`, in any format and compression that libarchive knows, into the directory
// `inside`, which is made if it is missing. Leading slashes of names are dropped. A symbolic link on the way to an
// entry is followed as if `inside` were the root.
//
// An entry has no place
//   - if such a link leads to no directory;
//   - if there is another file in the place of a directory, or a directory in the place of a file;
//   - if there is nothing that a hard link can be one to;
//   - if its name, or that of a hard link's target, is too long or contains "..";
//   - if its name means `inside` itself ("" or ".") and it is no directory.
// CopyOptions::gone_without is told of such entries, of each extended attribute that no file can have, and of each
// access control list that is none or names somebody whom this system does not know. A file without its access list has
// permissions that give nobody more than the list does.
absl::StatusOr<CopyTotals> ImportTar(FileSystem* fs, int descriptor, const std::string& inside,
                                     const CopyOptions& options);

// Returns the error with which ImportTar would begin. Looks at the beginning of a regular file, and puts the descriptor
// back. Ok for anything else, whose beginning would be lost by reading it.
absl::Status CheckTar(int descriptor);

// Writes the tree at `inside` to `descriptor` as pax. Names in the archive are relative to `inside` and begin with
// "./". If `inside` is no directory, its name in the archive is its own. What cannot be read of a file becomes zeros.
// CopyOptions::gone_without is told of extended attributes that are left out because libarchive would not read them.
absl::StatusOr<CopyTotals> ExportTar(FileSystem* fs, const std::string& inside, int descriptor,
                                     const CopyOptions& options);

// Writes how the directory `inside` differs from the directory `base`, as a layer of a container image. With
// CopyOptions::is_layer, ImportTar makes a copy of `base` into `inside` by it. A new name for a file that has not
// changed becomes a file of its own.
//
// Names that a layer cannot have (HasWhiteout) are left out, and so are sockets. CopyOptions::left_out is told of them.
// What `base` has in their place is gone nevertheless.
//
// Errors: also if it cannot be read how the two differ. Cost: that of FileSystem::FindDifferences, and of reading what
// was added or changed.
absl::StatusOr<CopyTotals> ExportLayer(FileSystem* fs, const std::string& base, const std::string& inside,
                                       int descriptor, const CopyOptions& options);

}  // namespace betr::fs
