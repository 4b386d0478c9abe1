// SPDX-License-Identifier: Apache-2.0
// A workload: one to three operations, each followed by nothing or by something that makes it persistent. It is written
// "creat:foo,link:foo:A/bar+fsync:A". That is its id, and enough to repeat it.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/ace/operation.h"

namespace betr::ace {

struct Persistence {
  enum class Kind : uint8_t { kNone, kSync, kFsync };
  Kind kind = Kind::kNone;
  std::string path;  // of kFsync; "" is the root

  friend bool operator==(const Persistence&, const Persistence&) = default;
};

struct Step {
  const Operation* operation = nullptr;
  Persistence persistence;

  // Whether a crash after the operation must find everything that it did.
  bool IsPersistent() const {
    return operation->verb == Verb::kMapWrite || persistence.kind != Persistence::Kind::kNone;
  }
};

using Workload = std::vector<Step>;

std::string FormatWorkload(const Workload& workload);
// Parses a workload. kInvalidArgument if something is not an operation; the message says what.
absl::StatusOr<Workload> ParseWorkload(std::string_view text);

}  // namespace betr::ace
