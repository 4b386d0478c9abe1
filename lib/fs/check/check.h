// SPDX-License-Identifier: Apache-2.0
// The checker of the file system level checks that the keys of the two trees make sense together. The checker of the
// structure below (lib/store) runs first, so here every key can be read.
//
// What is checked (the names are those of the findings):
//   key            every key is one that fs/key.h knows, every value can be decoded
//   root           the root directory, the version and the number bound are there
//   parent         every entry lies in a directory that exists
//   zone           every zone (zones.h) belongs to one directory, and the version record says that there are zones
//   links          the link count of a directory is 2 + its subdirectories, that of a group the number of its names
//   reference      every reference means a group in a home at or above its directory, and may be a name of that group
//   group-name     every name of a group is listed in its home, and every listed name is such a reference
//   group          every group has a name
//   home           groups lie in directories that are link homes
//   number         every stored number lies below the bound (so that no new file gets it), unless it came from
//                  another context
//   reach          the longest key below a directory is not longer than its record says; no path is too long
//   content        every block and external xattr belongs to an object of the right type
//   size           no block lies beyond the end of its file, or holds more than its part of the file
//   xattr          every external xattr of a record is there, with its size, and no other
//   orphan         orphans of an unclean end (a repair reclaims them, as mounting does)
//   leftover       keys of operations that a crash interrupted
//
// Cost: one scan of each tree, in key order except for zones, and point reads for names of files with several links. A
// directory whose content is that of one found sound before, as in a clone, is not walked again (check_sound.h).
//
// Memory does not grow with the number of files. It grows with depth, with the directories in shared nodes, with the
// link homes in use, with zones, and with the damage.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "betr/store.h"

namespace betr::fs {

enum class CheckCode : uint8_t {
  kKey,
  kRoot,
  kParent,
  kZone,
  kLinks,
  kReference,
  kGroupName,
  kGroup,
  kHome,
  kNumber,
  kReach,
  kContent,
  kSize,
  kXattr,
  kOrphan,
  kLeftover,
};
// The names listed above, such as "group-name".
std::string_view CheckCodeName(CheckCode code);

struct CheckFinding {
  CheckCode code;
  std::string path;         // of the file or directory, or the key of what has no path; escaped (base/escape.h)
  std::string what;         // what was expected and what was found; names are escaped
  bool harmless = false;    // orphans and leftovers, which any crash may leave behind
  bool repairable = false;  // a repair is known; without `salvage`, one that loses nothing that could be reached
  bool repaired = false;
  std::string lost_name{};  // the path, not escaped, of a name that the repair takes away: what it stood for is lost
  // An extended attribute that the repair takes away from the file `lost_name`, which stays.
  std::string lost_attribute{};
};

struct CheckOptions {
  bool repair = false;  // mend what it is known how to mend; the store must be writable
  // With `repair`: also mend what takes guessing, so that nothing is left. What has no place any more goes to
  // /lost+found (lost_and_found.h). One pass may make findings for the next: see RepairFileSystem.
  bool salvage = false;
  // Called now and then. If it returns true, the check ends with kCancelled.
  std::function<bool()> cancelled;
};

struct CheckSummary {
  uint64_t files = 0;
  uint64_t directories = 0;
  uint64_t blocks = 0;
  uint64_t findings = 0;
  uint64_t errors_left = 0;  // not harmless, not repaired
};

// Checks a store that no FileSystem has mounted. Errors: those of reading the store; kNotFound if there is no file
// system in it.
absl::StatusOr<CheckSummary> CheckFileSystem(Store* store, const CheckOptions& options,
                                             absl::FunctionRef<void(const CheckFinding&)> report);

// Raises the bound of inode numbers above those in use, and reports what it changes. To be called before a repair gives
// inode numbers: the bound may be lost, or be an old one, below the numbers of existing files. Requires: the store is
// writable. Errors: those of CheckFileSystem. Cost: that of a check's scan of the names.
absl::Status RaiseNumberBound(Store* store, const std::function<bool()>& cancelled,
                              absl::FunctionRef<void(const CheckFinding&)> report);

// First scans the names to learn which inode numbers there are. Then checks and repairs with `salvage` until a pass
// finds nothing. Returns the summary of the last pass. It has no findings unless something cannot be repaired: a record
// of a newer version. If the number of passes runs out, what the last one found counts as left, repaired or not.
// Errors: those of CheckFileSystem.
absl::StatusOr<CheckSummary> RepairFileSystem(Store* store, const std::function<bool()>& cancelled,
                                              absl::FunctionRef<void(const CheckFinding&)> report);

// Writes something that changes nothing, for callers that only want what was written to be ended cleanly. Errors: the
// store's.
absl::Status Rewrite(Store* store);

}  // namespace betr::fs
