// SPDX-License-Identifier: Apache-2.0
// Copies trees between tar archives and a file system. In its own library, which needs libarchive: libbetr does not.
//
// What is at the destination, links, order and cost: as in fs/tree_copy.h, but that entries are written in the order of
// the archive. Sparse files, hard links, extended attributes and times with nanoseconds come and go as pax has them.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "fs/tree_copy.h"

namespace betr::fs {

// Unpacks what is read from `descriptor`, in any format and compression that libarchive knows, into the directory
// `inside`, which is made if it is missing. Leading slashes of names are dropped.
// Where an entry lies below a symbolic link, that is followed as if `inside` were the root. If it leads to no
// directory, or if there is another file in the place of one, or one in the place of a file, or nothing that a hard
// link can be one to, or if a name is too long, contains "..", as that of a hard link's target may, or is none and the
// entry no directory, the entry has no place: CopyOptions::unreadable is told, as it is of each extended attribute that
// no file can have.
absl::StatusOr<CopyTotals> ImportTar(FileSystem* fs, int descriptor, const std::string& inside,
                                     const CopyOptions& options);

// The error with which ImportTar would begin, of a regular file: its beginning is looked at, and the descriptor put
// back. Of anything else that would be gone: ok.
absl::Status CheckTar(int descriptor);

// Writes the tree at `inside` to `descriptor` as pax. Names in the archive are relative to `inside` and begin with
// "./"; a file that is no directory gets its own name. What cannot be read of a file is zeros.
absl::StatusOr<CopyTotals> ExportTar(FileSystem* fs, const std::string& inside, int descriptor,
                                     const CopyOptions& options);

// Writes how the directory `inside` differs from the directory `base`, as a layer of a container image: what ImportTar
// makes `inside` of a copy of `base` with, if CopyOptions::is_layer. A new name for a file that has not changed is a
// file of its own then. Names that a layer cannot have (HasWhiteout) are left out, and so are sockets, but what was in
// their place is gone; CopyOptions::left_out is told. Where it cannot be read how they differ, that is an error. Cost:
// that of FileSystem::FindDifferences, and of reading what was added or changed.
absl::StatusOr<CopyTotals> ExportLayer(FileSystem* fs, const std::string& base, const std::string& inside,
                                       int descriptor, const CopyOptions& options);

}  // namespace betr::fs
