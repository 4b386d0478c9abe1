// SPDX-License-Identifier: Apache-2.0
// How two files or directories differ, one name after the other, as both were when the stream was made: for whoever
// answers in pieces. Others call FileSystem::FindDifferences, which is a loop around it.
//
// A stream keeps alive what it reads, as a Cursor does: until it goes, deletes may find no space on a full store. It
// holds no lock and no references. One thread at a time; it is gone before FileSystem::Unmount is called.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>

#include "betr/filesystem.h"

namespace betr {

class DifferenceStream {
 public:
  virtual ~DifferenceStream() = default;

  // The next difference, in the order of FindDifferences; nothing behind the last one, however often it is asked for.
  // Cost: may read all that was changed up to there. After an error the stream is of no use.
  virtual absl::StatusOr<std::optional<EntryDifference>> Next() = 0;

  // Visits the attributes of the two, and of all names below, whether they differ or not, until `visit` returns an
  // error; without inode numbers. For whoever has to know first whether differences may be told. Has no effect on
  // Next. Cost: reads all names, and once more each name of a file with several.
  virtual absl::Status VisitAll(absl::FunctionRef<absl::Status(const FileAttributes&)> visit) const = 0;
};

}  // namespace betr
