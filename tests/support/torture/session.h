// SPDX-License-Identifier: Apache-2.0
// A store at work on an image, from a recovery on. Records every device write and remembers every acknowledged state.
// Crash images are taken from the one, and compared with the other.
//
// Errors of all functions are findings (verify.h), or errors of the store that should not occur.
#pragma once

#include <absl/status/status.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "device/fault_device.h"
#include "device/recording_device.h"
#include "support/torture/timeline.h"
#include "support/torture/workload.h"

namespace betr::test {

// How often things happened that must happen for the test to be worth anything.
using Coverage = std::map<std::string, uint64_t, std::less<>>;

class Session {
 public:
  // Begins on an image that holds `start`. Nothing is opened yet.
  Session(const Profile& profile, StoreOptions options, Bytes size, PageMap image, Model start);

  // Makes flushes do nothing from now on.
  void LoseFlushes();

  // Opens the store and goes on from there. It must hold one of the states of the timeline that a crash may leave. A
  // new session has a timeline of its own, whose one state is `start`.
  absl::Status Open();
  // The same, on an image left by a crash of another session.
  absl::Status Recover(const Timeline& before, size_t events);

  absl::Status Run(Random& random, int steps);
  // Does the next step. After an error of the store, as opposed to a finding, the session may go on if it is still
  // open.
  absl::Status Next(Random& random);

  // The device between the store and the record.
  FaultDevice& faults() { return faults_; }
  // Returns the store; null if it could not be opened again.
  Store* store() { return store_.get(); }

  absl::Status Sync();

  // Ends the store like a killed program.
  void Kill();

  // Checks a session at its end: what is in memory and on disk is sound, and no space has leaked.
  absl::Status CheckAll();

  const WriteHistory& history() const { return recorder_.History(); }
  const Timeline& timeline() const { return timeline_; }
  // Of the stores that the session has killed or closed.
  const Coverage& coverage() const { return coverage_; }

 private:
  struct Pin {
    std::shared_ptr<const ReadView> view;
    uint64_t digest;
  };

  absl::Status OpenStore();
  // Gives the image another name and reserve, and another uuid if that is allowed.
  absl::Status Tune();
  void CountCoverage();
  // Finds which state of the timeline the store holds.
  absl::StatusOr<size_t> Identify(const Timeline& timeline, size_t events);
  absl::Status Do(Step step);
  absl::Status Write(std::vector<Op> ops);
  absl::Status Trim();
  absl::Status Durable(const absl::Status& status);
  absl::Status Get(TreeId tree, const std::string& key);
  absl::Status Scan();
  // Compacts a tree. May find no space, since that rewrites the tree.
  absl::Status Compact(TreeId tree);
  absl::Status Unpin();
  absl::Status Close();
  absl::Status Restart();

  const Profile& profile_;
  const StoreOptions options_;
  MemoryDevice disk_;
  RecordingDevice recorder_;
  FaultDevice faults_;
  Timeline timeline_;
  Coverage coverage_;
  std::unique_ptr<Store> store_;
  std::vector<Pin> pins_;  // views hold on to what the store owns, so they go before it
};

}  // namespace betr::test
