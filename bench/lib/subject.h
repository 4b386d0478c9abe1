// SPDX-License-Identifier: Apache-2.0
// Subject: one engine under test and the folder with its data. Between two benchmarks it is closed, so that nothing of
// it works in the background while others are measured.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "lib/engine.h"
#include "lib/settings.h"

namespace betr::bench {

class Subject {
 public:
  // The folder is made by the first Open.
  Subject(std::string name, std::string directory, const Settings& settings);

  const std::string& name() const { return name_; }
  const std::string& directory() const { return directory_; }
  const Settings& settings() const { return settings_; }

  // What is open; null if nothing is.
  Engine* engine() const { return engine_.get(); }

  // Opens it with nothing in it. The pointer is valid until Close or the next Open.
  absl::StatusOr<Engine*> OpenEmpty();
  // Opens it cold with the large data set in it: ScatteredKey(0 .. keys), which is put there first if need be.
  absl::StatusOr<Engine*> OpenFilled();
  // Closes what is open and opens it again, cold, as it is.
  absl::StatusOr<Engine*> Reopen();
  // Says that the data is the large data set, or is that no more.
  void SetFilled(bool filled) { filled_ = filled; }
  // Closes what is open; nothing if nothing is.
  absl::Status Close();
  // Closes, and removes the data.
  absl::Status Remove();

 private:
  absl::StatusOr<Engine*> Open();

  const std::string name_;
  const std::string directory_;
  const Settings& settings_;
  std::unique_ptr<Engine> engine_;
  bool filled_ = false;
};

// Puts ScatteredKey(0 .. count).
absl::Status PutScattered(Engine& engine, uint64_t count, uint64_t value_size);

}  // namespace betr::bench
