// SPDX-License-Identifier: Apache-2.0
// The command line of the store benchmarks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "betr/experiments.h"
#include "betr/units.h"

namespace betr::bench {

struct Settings {
  std::string directory;  // parent of all data; empty: the system's directory for temporary files
  uint64_t keys = 1'000'000;
  uint64_t value_size = 100;
  uint64_t max_clone_keys = 1'000'000;  // the largest prefix that is cloned; from 1000 up by factors of 10
  uint64_t durable_puts = 500;
  Bytes cache_size = MiB(64);
  Experiments experiments;       // of betr
  std::string experiment_names;  // the same, as they were said
  std::string compression = "none";
  std::vector<std::string> engines;  // empty: all
  bool with_counters = false;        // print what the engines count themselves
  std::string json_file;             // the table of ratios goes there too, if not empty
  std::string markdown_file;
};

// Returns the help for all options that ParseSettings reads.
std::string SettingsHelp();

// Reads the arguments that Google Benchmark has left, which do not include --help. If they are wrong, prints a
// complaint and ends the program.
Settings ParseSettings(int argc, char** argv);

}  // namespace betr::bench
