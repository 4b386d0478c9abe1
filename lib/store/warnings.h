// SPDX-License-Identifier: Apache-2.0
// What the store could not read when no caller was waiting for it. Each different warning is counted, and reported once
// to a listener. If a caller reads the same thing, it gets an error anyway.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "base/mutex.h"

namespace betr::store {

// Thread-safe.
class Warnings {
 public:
  using Listener = std::function<void(const absl::Status&)>;
  explicit Warnings(Listener listener) : listener_(std::move(listener)) {}

  void Tell(const absl::Status& status) {
    {
      const MutexLock lock(mutex_);
      if (told_.size() >= kMost || !told_.emplace(status.message()).second) return;
    }
    if (listener_) listener_(status);
  }
  // The number of different warnings, at most a thousand.
  uint64_t Count() const {
    const MutexLock lock(mutex_);
    return told_.size();
  }

 private:
  static constexpr size_t kMost = 1000;

  const Listener listener_;
  mutable Mutex mutex_;
  std::set<std::string> told_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::store
