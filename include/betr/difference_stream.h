// SPDX-License-Identifier: Apache-2.0
// How two files or directories differ, one name at a time, as both were when the stream was made. It is for callers
// that deliver the answer in pieces. Other callers use FileSystem::FindDifferences, which is a loop around it.
//
// A stream keeps alive what it reads, as a Cursor does. Until it is destroyed, deletes may find no space on a full
// store. It holds no lock and no references. One thread may use it at a time. Destroy it before calling
// FileSystem::Unmount.
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

  // Returns the next difference, in the order of FindDifferences. After the last one it returns nothing, however often
  // it is called. After an error the stream is of no further use. Cost: may read everything that changed up to there.
  virtual absl::StatusOr<std::optional<EntryDifference>> Next() = 0;

  // Visits the attributes of the two and of all names below them, whether or not they differ, until `visit` returns an
  // error. The attributes are without inode numbers. It serves callers that must first check whether differences may be
  // disclosed. It does not affect Next. Cost: reads all names, and reads each name of a file with several names once
  // more.
  virtual absl::Status VisitAll(absl::FunctionRef<absl::Status(const FileAttributes&)> visit) const = 0;
};

}  // namespace betr
