// SPDX-License-Identifier: Apache-2.0
// Experiments: ways in which earlier versions of BetrFS did things, to be compared with those of today on the same code
// (docs/ablations.md). For measuring only. They are said at each open, and one open after another may have others: what
// they leave in an image is understood without them, though zones only by programs that know them.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <string_view>

#include "betr/units.h"

namespace betr {

struct Experiments {
  // Renames read what is renamed, write it under its new name, and erase the old keys one by one (BetrFS 0.1).
  bool rename_by_copy = false;
  // What files and directories lose is erased key by key (0.1).
  bool delete_by_key = false;
  // Clones and renames are driven down the tree before they return, rather than sent as messages (0.4).
  bool eager_gotos = false;
  // Nodes are split in their middle, wherever that cuts files and directories (before 0.5).
  bool split_by_size = false;
  // Shared nodes are copied at the first message that comes to them, not when there are enough.
  bool copy_at_once = false;
  // Every value goes through the log, however much comes in bulk (0.1).
  bool early_binding = false;
  // Subtrees of about this size have keys that renames do not touch; what is smaller is copied (0.2, 0.3).
  std::optional<Bytes> zone_size = std::nullopt;

  friend bool operator==(const Experiments&, const Experiments&) = default;
};

// One name that ParseExperiments knows. "zones" may go on with "=SIZE", 512 KiB without.
struct ExperimentName {
  std::string_view name;
  std::string_view summary;
};
std::span<const ExperimentName> ExperimentNames();

// What a list of names separated by commas switches on, beside those in `others`; "" is none. kInvalidArgument, with
// all names, for another one.
absl::StatusOr<Experiments> ParseExperiments(std::string_view list, Experiments others = {});

}  // namespace betr
