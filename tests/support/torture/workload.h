// SPDX-License-Identifier: Apache-2.0
// What the torture tests do to a store. The next step is drawn at random from everything that the store can do.
// Proportions and sizes make everything happen within some dozens of steps.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "betr/options.h"
#include "betr/write_batch.h"
#include "support/torture/model.h"

namespace betr::test {

struct Step {
  enum class Kind : uint8_t { kWrite, kSync, kCheckpoint, kCompact, kGet, kScan, kPin, kUnpin, kClose, kRestart };
  Kind kind = Kind::kWrite;
  std::vector<Op> ops;  // of kWrite
  TreeId tree;          // of kCompact and kGet
  std::string key;      // of kGet
};

// The shape of an image and of what is written to it.
struct Profile {
  Bytes device_size{0};
  FormatOptions format;
  size_t entries = 400;     // of all trees together, about: more are erased
  unsigned batch_bits = 4;  // a batch has up to 2^this changes
  size_t alphabet = 4;      // letters of keys
  size_t key_letters = 6;   // at most
  size_t value_bytes = 60;  // of most values, at most
  uint64_t large_one_in = 12;
  size_t large_bytes = 1500;
  uint64_t sync_percent = 12;
  uint64_t structural_percent = 15;  // of the changes in a batch: clones and renames
  bool trims = false;                // after each sync and checkpoint
  bool tunes = false;                // before the store is opened
};

// Draws a profile. Tight: a device that refuses batches, and whose space must come back.
Profile RandomProfile(Random& random, bool tight);

// Draws how a session opens the store.
StoreOptions RandomOptions(Random& random, bool background);

// Draws a key by the profile: a few letters, some of them as awkward as bytes can be.
std::string RandomKey(Random& random, const Profile& profile);

Step NextStep(Random& random, const Profile& profile, const Model& model);

}  // namespace betr::test
