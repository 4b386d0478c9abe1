// SPDX-License-Identifier: Apache-2.0
// One workload: its calls on a recorded device, the oracle's state after each step of them, and the images that crashes
// leave, each recovered and compared.
//
// What is demanded of an image. It opens by itself. The checkers of the store and of the file system find nothing (but
// orphans and leftovers, which a crash may leave). What can be seen is what the oracle says after some prefix of the
// calls, which includes all up to the last persistence point. A file can be made in every directory, and everything can
// be deleted. And of some, drawn by the seed, and right after persistence points if all crashes are looked at: the
// stored image is sound; what recovery itself writes may be cut off anywhere, and the next recovery finds the same
// state; a mount leaves nothing of what the crash left; once all is deleted the image is sound and its space free.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <map>
#include <string>

#include "support/ace/ground.h"
#include "support/ace/workload.h"

namespace betr::ace {

// Which crashes of a workload are looked at.
enum class Crashes : uint8_t {
  kPoints,   // right after each persistence point
  kWrites,   // these, and after every device write before them
  kSampled,  // right after each persistence point, and some others: any of the kinds below, and sectors lost in any
             // order
  kAll,      // after every device write; all subsets of each epoch's writes (64 drawn ones of more than 8 writes); the
             // last write torn at 4 KiB and at 512 bytes
};

struct RunOptions {
  Crashes crashes = Crashes::kAll;
  uint64_t seed = 1;  // of what is drawn
  // The device lies: flushes do nothing. What was made persistent must be missed, which shows that it is looked for.
  bool lying_device = false;
  // Instead of crashes: devices that fail at every so many-th of their operations (fault_run.h). 0: crashes.
  uint64_t fault_every = 0;
};

struct Tally {
  uint64_t workloads = 0;
  uint64_t calls = 0;
  uint64_t points = 0;  // persistence points
  uint64_t device_events = 0;
  uint64_t states = 0;                                    // crash images that were recovered and compared
  uint64_t again = 0;                                     // recovered once more, from within a recovery
  uint64_t faulted = 0;                                   // runs on devices that fail
  std::map<std::string, uint64_t, std::less<>> coverage;  // what the stores counted, by name

  void Add(const Tally& other);
};

// Errors: what was found; or that the file system refused a call or did something else without a crash.
absl::Status RunWorkload(const Ground& ground, const Workload& workload, const RunOptions& options, Tally& tally);

// The workload that this thread is in, for those who report that the program is aborted.
std::string CurrentWorkload();

}  // namespace betr::ace
