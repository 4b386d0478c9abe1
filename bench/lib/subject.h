// SPDX-License-Identifier: Apache-2.0
// Subject: one engine under test and the folder with its data. It is closed between two benchmarks, so that it does not
// work in the background while others are measured.
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

  // Returns the open engine; null if none is.
  Engine* engine() const { return engine_.get(); }

  // Opens the engine empty. The pointer is valid until Close or the next Open.
  absl::StatusOr<Engine*> OpenEmpty();
  // Opens the engine cold with the large data set, ScatteredKey(0 .. keys). Puts that in first if need be.
  absl::StatusOr<Engine*> OpenFilled();
  // Closes the engine and opens it again, cold, with its data.
  absl::StatusOr<Engine*> Reopen();
  // Says whether the data is the large data set.
  void SetFilled(bool filled) { filled_ = filled; }
  // Closes the engine, if one is open.
  absl::Status Close();
  // Closes the engine and removes the data.
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
