// SPDX-License-Identifier: Apache-2.0
// Where the roots of zones (zones.h) are: what it takes to make paths of keys, for those who read "meta" from outside.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "betr/store.h"

namespace betr::fs {

class ZoneRoots {
 public:
  // All that the records in "meta" tell. Reads only the version if there are none.
  static absl::StatusOr<ZoneRoots> In(const Store& store, TreeId meta);

  // The zone's root is the directory with this entry. False, and nothing has changed, if another one is.
  bool Add(uint64_t zone, std::string_view object);
  bool Contains(uint64_t zone) const { return objects_.contains(zone); }
  bool Empty() const { return objects_.empty(); }

  // The key, or content prefix, as it would be if there were no zones. Below `zone-6`, if nobody knows where zone 6 is.
  std::string WithoutZones(std::string_view key) const;

 private:
  absl::flat_hash_map<uint64_t, std::string> objects_;
};

}  // namespace betr::fs
