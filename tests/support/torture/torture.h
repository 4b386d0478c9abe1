// SPDX-License-Identifier: Apache-2.0
// Torture: runs seeded workloads on a recorded device, and makes images that crashes could have left. Each is opened,
// compared with what was acknowledged, and checked. Some are worked on and crashed again, also while they recover.
//
// A case is one seed: an image, and a few sessions one after another. Each session has crashes, which branch into
// sessions with crashes of their own. Without background threads a case depends only on its seed and the depth.
#pragma once

#include <absl/status/status.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace betr::test {

inline constexpr int kMaxDepth = 8;

struct TortureOptions {
  uint64_t seed = 1;                // of the first case; the next ones follow
  uint64_t states = 0;              // stop after this many crash states; 0: no limit
  std::chrono::seconds seconds{0};  // stop after this time; 0: no limit. Without any limit: one case
  unsigned jobs = 1;
  int depth = 3;            // crashes after one another
  bool background = false;  // stores with threads of their own: cases are not repeatable
  bool tight = false;       // devices too small for what is written
  bool trims = false;       // free space is discarded whenever something was made durable
  bool tunes = false;       // the image gets another name and reserve before each time it is opened
  std::string experiments;  // of all stores: a list that ParseExperiments accepts
  // The device lies: flushes do nothing. Every promise must break, which shows that it is tested.
  bool lying_device = false;
};

struct TortureTally {
  uint64_t cases = 0;
  std::array<uint64_t, kMaxDepth> states{};               // by depth: how many crashes came before
  uint64_t device_events = 0;                             // recorded writes, flushes and discards
  uint64_t batches = 0;                                   // acknowledged
  std::map<std::string, uint64_t, std::less<>> coverage;  // what the stores counted, by name

  uint64_t States() const;
  void Add(const TortureTally& other);
};

struct TortureFailure {
  uint64_t seed = 0;
  std::string what;
};

struct TortureResult {
  TortureTally tally;
  std::optional<TortureFailure> failure;  // the first
};

// Runs one case and adds what it did to `tally`. Errors: what was found (verify.h).
absl::Status RunCase(uint64_t seed, const TortureOptions& options, TortureTally& tally);

// Runs cases until a limit is reached or one fails. Calls `on_progress` from time to time, from any thread but never
// from two at once.
TortureResult RunTorture(const TortureOptions& options, const std::function<void(const TortureTally&)>& on_progress);

// Returns the seed of the case that this thread is in, for reports of an aborted program.
uint64_t CurrentCase();

// Returns the command that repeats a case: "betr-torture --seed 7 --depth 3".
std::string ReplayCommand(uint64_t seed, const TortureOptions& options);

}  // namespace betr::test
