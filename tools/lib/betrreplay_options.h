// SPDX-License-Identifier: Apache-2.0
// The command line of betrreplay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "betr/experiments.h"
#include "tool.h"

namespace betr::tools {

// The directory in which the traces of a workload were usually made.
inline constexpr const char* kDefaultRoot = "/mnt/w";
inline constexpr uint32_t kDefaultUmask = 022;

struct BetrreplayOptions {
  std::vector<std::string> traces;
  std::string directory;  // at most one of --dir and -i
  std::string root;       // empty: kDefaultRoot
  std::string manifest;   // empty: inferred
  std::string check;      // the listing to compare with at the end
  std::string working_directory;
  uint32_t umask = kDefaultUmask;  // of processes that never set it
  std::string plot;                // the picture to make; empty: none
  std::string convert;             // the file to make; empty: none
  bool prints_manifest = false;
  bool has_threads = false;
  double speed = 0;  // 0: as fast as possible
  std::string disk;  // name of a profile; empty: no model
  bool waits_for_disk = false;
  Bytes cache_size{0};
  Experiments experiments;
  uint64_t seed = 1;
};

ToolDescription BetrreplayDescription();

// Adds the options to the parser. `options` must outlive it.
void AddBetrreplayOptions(Tool* tool, BetrreplayOptions* options);

// Checks what the parser cannot. Returns a text for the user if something is wrong.
std::optional<std::string> CheckBetrreplayOptions(Tool& tool, const BetrreplayOptions& options);

}  // namespace betr::tools
