// SPDX-License-Identifier: Apache-2.0
// Recovers one crash image and checks what run.h demands of it. Errors of all functions are findings, or errors of the
// file system that should not occur.
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "base/clock.h"
#include "base/random.h"
#include "device/recording_device.h"
#include "support/ace/ground.h"
#include "support/ace/survey.h"

namespace betr::ace {

class Recovery {
 public:
  // `image` must outlive this.
  Recovery(const Ground& ground, MemoryDevice& image);

  // Opens, checks and mounts the image. Returns what is seen then.
  absl::StatusOr<Survey> Recover();

  // Crashes after some of the device writes since the beginning, and recovers each time. The same state must be seen.
  // Returns how often it did so.
  absl::StatusOr<uint64_t> RecoverAgain(const Model& state, Random& random);

  // Makes a file in every directory and deletes everything.
  absl::Status CheckWrites(const Survey& survey);

  // Compacts and ends cleanly. The image must be sound, and hold no more than one that was emptied before, except for a
  // leaf. Requires: everything has been deleted.
  absl::Status CheckEmptied();

 private:
  // Orphans and the like, which a crash may leave and a mount reclaims.
  enum class Leftovers : uint8_t { kAllowed, kFound };
  static absl::Status CheckFiles(Store* store, Leftovers leftovers);
  absl::Status CheckReclaimed();
  absl::Status DeleteBelow(InodeId directory);

  const Ground& ground_;
  ManualClock clock_;
  MemoryDevice& image_;
  RecordingDevice recorder_;
  std::unique_ptr<FileSystem> fs_;
};

}  // namespace betr::ace
