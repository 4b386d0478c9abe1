// SPDX-License-Identifier: Apache-2.0
// Where a trace is replayed: an image through lib/fs (image_target.h), or a directory through system calls
// (directory_target.h).
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>
#include <string>

#include "betr/units.h"
#include "replay/interpret/manifest.h"
#include "replay/interpret/operation.h"

namespace betr::replay {

// What was transferred between a target and its storage.
struct DeviceCounts {
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t flushes = 0;
  std::optional<uint64_t> seeks{};  // nothing if nobody has counted them, as for a disk of the kernel
  Bytes read_bytes{0};
  Bytes written_bytes{0};
  // By the model of a disk, if there is one: how long it was busy, and how long its callers had to wait. Seeks are then
  // those of the model too.
  std::optional<double> modelled_seconds{};
  double modelled_wait_seconds = 0;
};

class Target {
 public:
  virtual ~Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // Whether the target is empty except for the root directory.
  virtual absl::StatusOr<bool> IsEmpty() = 0;
  // Makes caches cold, as far as the target can. Called once the initial state has been made.
  virtual absl::Status StartCold() = 0;

  // Gives the root directory of the replay this number. Called before everything else.
  virtual void BindRoot(NodeNumber root) = 0;
  // Performs an operation. Errors of the file system are outcomes. Never blocks for ever. Operations that do not depend
  // on each other (dependencies.h) may come from several threads at once.
  virtual Outcome Perform(const Operation& operation) = 0;
  // Makes everything durable.
  virtual absl::Status Sync() = 0;

  // Lists what there is now. `root` is the path that the listing gives to the root directory.
  virtual absl::StatusOr<Manifest> List(const std::string& root) = 0;
  // Returns the counts; nothing if the target cannot know. Thread-safe.
  virtual std::optional<DeviceCounts> Counts() = 0;
  // Makes everything durable and closes it. Called after the last use.
  virtual absl::Status Close() = 0;

 protected:
  Target() = default;
};

}  // namespace betr::replay
