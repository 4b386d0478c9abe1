// SPDX-License-Identifier: Apache-2.0
// Runs one workload: its calls on a recorded device, the oracle's state after each step of them, and the images that
// crashes leave. Each of these is recovered and compared.
//
// What is demanded of an image:
//   - It opens by itself. The checkers of the store and of the file system find nothing except orphans and leftovers,
//     which a crash may leave.
//   - What can be seen is what the oracle says after some prefix of the calls, which includes all up to the last
//     persistence point.
//   - A file can be made in every directory, and everything can be deleted.
//
// More is demanded of some images: those drawn by the seed and, if all crashes are looked at, those right after
// persistence points:
//   - The stored image is sound.
//   - What recovery itself writes may be cut off anywhere; the next recovery finds the same state.
//   - A mount leaves nothing of what the crash left.
//   - Once everything is deleted, the image is sound and its space is free.
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
  // The device lies: flushes do nothing. What was made persistent must then be found missing, which shows that it is
  // looked for.
  bool lying_device = false;
  // Devices that fail at every so many-th of their operations (fault_run.h), instead of crashes. 0: crashes.
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

// Runs a workload. Errors: what was found; also that, without a crash, the file system refused a call or did something
// else.
absl::Status RunWorkload(const Ground& ground, const Workload& workload, const RunOptions& options, Tally& tally);

// Returns the workload that this thread is in, for reports of an aborted program.
std::string CurrentWorkload();

}  // namespace betr::ace
