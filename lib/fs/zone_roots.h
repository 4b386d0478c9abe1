// SPDX-License-Identifier: Apache-2.0
// ZoneRoots says where the roots of zones (zones.h) are. Code that reads "meta" from outside the file system needs this
// to turn keys into paths.
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
  // Finds all zones that the records in "meta" tell of. Reads only the version record if there are none.
  static absl::StatusOr<ZoneRoots> In(const Store& store, TreeId meta);

  // Adds that the zone's root is the directory with this entry. False, and changes nothing, if it is another directory.
  bool Add(uint64_t zone, std::string_view object);
  bool Contains(uint64_t zone) const { return objects_.contains(zone); }
  bool Empty() const { return objects_.empty(); }

  // Returns the key, or content prefix, as it would be without zones. If nobody knows where zone 6 is, what is in it is
  // below `zone-6`.
  std::string WithoutZones(std::string_view key) const;

 private:
  absl::flat_hash_map<uint64_t, std::string> objects_;
};

}  // namespace betr::fs
