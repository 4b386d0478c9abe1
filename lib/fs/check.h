// SPDX-License-Identifier: Apache-2.0
// The checker of the file system level: that the keys of the two trees make sense to each other. The checker of the
// structure below (lib/store) comes first; here every key can be read.
//
// What is checked (the names are those of the findings):
//   key            every key is one that fs/key.h knows, every value can be decoded
//   root           the root directory, the version and the number bound are there
//   parent         every entry lies in a directory that exists
//   zone           every zone (zones.h) is that of one directory, and the version record tells of zones
//   links          the link count of a directory is 2 + its subdirectories, that of a group the number of its names
//   reference      every reference means a group in a home at or above its directory, whose name it may be
//   group-name     every name of a group is listed in its home, and every listed name is such a reference
//   group          every group has a name
//   home           groups lie in directories that are link homes
//   number         every stored number lies below the bound (so that no new file gets it), unless it came from
//                  another context
//   reach          the longest key below a directory is not longer than its record says; no path is longer than may be
//   content        every block and external xattr belongs to an object of the right type
//   size           no block lies beyond the end of its file, or has more than its part of it
//   xattr          every external xattr of a record is there, with its size, and no other
//   orphan         orphans of an unclean end (a repair reclaims them, as mounting does)
//   leftover       keys of operations that a crash interrupted
//
// Cost: one scan of each tree in key order, but for zones, and, for names with several links, point reads. A directory
// whose content is that of one found sound before, as in a clone, is not walked again (check_sound.h). Memory does not
// grow with the number of files, only with depth, with the directories in shared nodes, with the link homes in use,
// with zones, and with the damage.
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
// "link-count" style names as listed above.
std::string_view CheckCodeName(CheckCode code);

struct CheckFinding {
  CheckCode code;
  std::string path;         // of the file or directory, or for what has none its key; escaped (base/escape.h)
  std::string what;         // what was expected and what was found; names are escaped
  bool harmless = false;    // orphans and leftovers: what every crash may leave behind
  bool repairable = false;  // a repair is known; without `salvage`, one that loses nothing that could be reached
  bool repaired = false;
  std::string lost_name{};  // a name that the repair takes away, as what it stood for is lost: its path, not escaped
  // An extended attribute that the repair takes away, of the file with that name, which stays.
  std::string lost_attribute{};
};

struct CheckOptions {
  bool repair = false;  // where it is known how; the store must be writable
  // With `repair`: also what takes guessing, so that nothing is left. What has no place any more goes to /lost+found
  // (lost_and_found.h).
  // One pass may make findings for the next: see RepairFileSystem.
  bool salvage = false;
  // Asked now and then; true ends the check with kCancelled.
  std::function<bool()> cancelled;
};

struct CheckSummary {
  uint64_t files = 0;
  uint64_t directories = 0;
  uint64_t blocks = 0;
  uint64_t findings = 0;
  uint64_t errors_left = 0;  // not harmless, not repaired
};

// Checks a store that no FileSystem has mounted.
// Errors: those of reading the store. kNotFound: there is no file system in it.
absl::StatusOr<CheckSummary> CheckFileSystem(Store* store, const CheckOptions& options,
                                             absl::FunctionRef<void(const CheckFinding&)> report);

// Who gives inode numbers in a repair asks for this first: the bound may be lost, or be one of before, while there are
// files with numbers that come after it. Tells what it changes. Cost: a scan of the names, as of a check. Errors: as of
// CheckFileSystem. Requires: the store is writable.
absl::Status RaiseNumberBound(Store* store, const std::function<bool()>& cancelled,
                              absl::FunctionRef<void(const CheckFinding&)> report);

// Checks and repairs with `salvage` until a pass finds nothing, after a scan of names that tells which inode numbers
// there are. Returns the last pass's summary, which has no findings unless something cannot be repaired: a record of a
// newer version. What the last of many passes has found counts as left, repaired or not. Errors: as of CheckFileSystem.
absl::StatusOr<CheckSummary> RepairFileSystem(Store* store, const std::function<bool()>& cancelled,
                                              absl::FunctionRef<void(const CheckFinding&)> report);

// Writes something that changes nothing, for who only wants to end cleanly what was written. Errors: the store's.
absl::Status Rewrite(Store* store);

}  // namespace betr::fs
