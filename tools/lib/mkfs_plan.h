// SPDX-License-Identifier: Apache-2.0
// What mkfs.betr is about to do, decided before anything is changed.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "betr/options.h"
#include "device/file_device.h"
#include "json_output.h"
#include "layout/signatures.h"
#include "mkfs_options.h"

namespace betr::tools {

struct MkfsPlan {
  std::string image;
  bool creates = false;  // there is nothing at the path yet
  bool is_block_device = false;
  Bytes size{0};
  FormatOptions format;                  // complete, except that a dry run has no uuid unless given
  Bytes reserve{0};                      // its share of the space, in bytes
  std::vector<layout::Signature> found;  // what would be overwritten
  std::optional<Bytes> unknown;          // none was found, but there is a byte that is not zero
  std::string source_kind;               // what it is filled from: "directory", "archive" or nothing
  std::string source;                    // "-": stdin
  fs::Exclusions exclusions;             // what of that is left out
  std::chrono::nanoseconds time{0};      // "now", or what SOURCE_DATE_EPOCH says
  bool is_reproducible = false;          // SOURCE_DATE_EPOCH says the time: no later one may show

  bool IsOverwriting() const { return !found.empty() || unknown.has_value(); }
};

// Opens the device that is to be formatted for writing, and locks it exclusively. That changes nothing in it. Null if
// there is nothing. Errors: kFailedPrecondition says who has it open, or that it may not be written.
absl::StatusOr<std::unique_ptr<FileDevice>> OpenTarget(const MkfsOptions& options);

// Makes the plan. `target` may be null. Errors: kInvalidArgument for options that do not fit together or do not fit the
// device.
absl::StatusOr<MkfsPlan> MakePlan(const MkfsOptions& options, FileDevice* target, const ToolIo& io);

// Checks that the plan can begin. The file can be made, if it has to be. What it is filled from can be read, and would
// not be overwritten first. Looks into an archive only if it is a regular file, as somebody may wait at the other end
// of a pipe. Cost: for an existing image, a walk through the directory that fills it.
absl::Status CheckPaths(const MkfsPlan& plan, const ToolIo& io);

// Describes the first thing that would be overwritten, as in "betr is on it (magic at 0)". Requires: there is one.
std::string DescribeFound(const MkfsPlan& plan);

Json PlanAsJson(const MkfsPlan& plan);
// Prints the plan for people. Prints nothing with -q.
void PrintPlan(const Tool& tool, const MkfsPlan& plan);

}  // namespace betr::tools
