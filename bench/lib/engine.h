// SPDX-License-Identifier: Apache-2.0
// Engine: what the benchmarks need of an ordered key-value store, narrow enough for every store that they compare.
//
// Equal terms for every engine:
//   1. Only Sync gives durability. When it returns, what was written before it survives a crash of the machine. Of what
//      came later, the end may be lost. Nothing else waits for the disk.
//   2. The cache has `cache_size` bytes, including write buffers, if a store has a cache of its own. All stores read
//      and write through the kernel's page cache.
//   3. Compression is the same, or none.
//
// One thread calls. Errors of a peer come as kInternal with its own text.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "betr/experiments.h"
#include "betr/units.h"

namespace betr::bench {

struct EngineOptions {
  std::string directory;  // exists; everything that the engine keeps is in it
  Bytes cache_size = MiB(64);
  Experiments experiments;           // of betr
  Bytes capacity = GiB(16);          // of an engine whose file has a fixed size: sparse
  std::string compression = "none";  // or "lz4"; an engine that has no lz4 takes its own fast codec
};

struct ScanResult {
  uint64_t entries = 0;
  uint64_t bytes = 0;  // of keys and values, all of them looked at
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual absl::Status Put(std::string_view key, std::string_view value) = 0;
  // Whether the key is there. If so, its value is in `value`.
  virtual absl::StatusOr<bool> Get(std::string_view key, std::string* value) = 0;
  // Reads at most `limit` entries, beginning with the first key at or after `from`.
  virtual absl::StatusOr<ScanResult> Scan(std::string_view from, uint64_t limit) = 0;
  // Erases all keys in [from, to).
  virtual absl::Status EraseRange(std::string_view from, std::string_view to) = 0;
  // Adds to the counter at `key` (8 bytes, little-endian; absent is 0): blindly if the engine can, else by reading.
  virtual absl::Status Add(std::string_view key, uint64_t delta) = 0;
  // Makes every key `from` + x exist also as `to` + x: by a clone if the engine can, else by copying. Requires: nothing
  // is under `to`.
  virtual absl::Status ClonePrefix(std::string_view from, std::string_view to) = 0;
  virtual absl::Status Sync() = 0;
  // Returns what the engine has counted since it was opened, by name; nothing if it does not tell.
  virtual std::map<std::string, uint64_t> Counters() const { return {}; }
  // Ends cleanly. No calls after it.
  virtual absl::Status Close() = 0;
};

// Returns the names of the engines in this build, betr first.
std::vector<std::string> EngineNames();

// Opens what is in the directory, or makes it. kNotFound: this build has no engine of this name.
absl::StatusOr<std::unique_ptr<Engine>> OpenEngine(std::string_view name, const EngineOptions& options);

}  // namespace betr::bench
