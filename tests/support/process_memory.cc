// SPDX-License-Identifier: Apache-2.0
#include "support/process_memory.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

namespace betr::test {
namespace {

// A line "name:  n kB" of /proc/self/status.
Bytes Status(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return KiB(std::stoull(line.substr(name.size() + 1)));
  }
  FAIL("no " << name << " in /proc/self/status");
  return {};
}

}  // namespace

Bytes ResidentMemory() { return Status("VmRSS"); }

Bytes PeakMemory() { return Status("VmHWM"); }

void ForgetPeakMemory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace betr::test
