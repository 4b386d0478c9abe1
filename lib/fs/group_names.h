// SPDX-License-Identifier: Apache-2.0
// GroupNames finds the names of files that have several, in a store of which something may be lost.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "betr/store.h"

namespace betr::fs {

// One thread. Memory: the names of the link groups of one home.
class GroupNames {
 public:
  // `store` outlives this.
  GroupNames(const Store& store, TreeId meta) : store_(store), meta_(meta) {}

  // Returns the names, as keys, that the home lists. If these are fewer than the file has links, also returns those
  // that refer to it where no nearer home has such a group. What lies in zones below another home is not looked at.
  //
  // Errors: those of reading the store. Cost: a scan of what a home lists; if something is missing, also one of what is
  // below it, up to a limit.
  absl::StatusOr<std::vector<std::string>> Of(std::string_view home, uint64_t id, uint32_t links);

 private:
  absl::Status Load(std::string_view home);
  absl::Status Search();
  absl::StatusOr<bool> HasNearerGroup(std::string_view content, uint64_t id) const;

  const Store& store_;
  const TreeId meta_;
  std::string home_;
  bool has_home_ = false;
  bool has_searched_ = false;
  absl::flat_hash_map<uint64_t, std::vector<std::string>> names_;
};

}  // namespace betr::fs
