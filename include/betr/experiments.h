// SPDX-License-Identifier: Apache-2.0
// Experiments: designs of earlier versions of BetrFS, to be compared with today's on the same code (docs/ablations.md).
// They are for measurements only. They are chosen at each open and may differ from one open to the next. What they
// leave in an image is understood without them; but zones are understood only by programs that know them.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <string_view>

#include "betr/units.h"

namespace betr {

struct Experiments {
  // Renames read what they rename, write it under its new name, and erase the old keys one by one (BetrFS 0.1).
  bool rename_by_copy = false;
  // The contents of files and directories are erased key by key (0.1).
  bool delete_by_key = false;
  // Clones and renames are driven down the tree before they return, rather than sent as messages (0.4).
  bool eager_gotos = false;
  // Nodes are split in the middle, wherever that cuts files and directories (before 0.5).
  bool split_by_size = false;
  // Shared nodes are copied for the first message that reaches them, not once there are enough.
  bool copy_at_once = false;
  // Every value goes through the log, even bulk data (0.1).
  bool early_binding = false;
  // Subtrees of about this size have keys that renames do not touch. Smaller ones are copied (0.2, 0.3).
  std::optional<Bytes> zone_size = std::nullopt;

  friend bool operator==(const Experiments&, const Experiments&) = default;
};

// A name that ParseExperiments knows. "zones" may be followed by "=SIZE"; without it the size is 512 KiB.
struct ExperimentName {
  std::string_view name;
  std::string_view summary;
};
std::span<const ExperimentName> ExperimentNames();

// Adds the experiments in a comma-separated list of names to `others`. "" adds none. kInvalidArgument for an unknown
// name; the message lists all names.
absl::StatusOr<Experiments> ParseExperiments(std::string_view list, Experiments others = {});

}  // namespace betr
