// SPDX-License-Identifier: Apache-2.0
// Runs fsck.betr in process.
#pragma once

#include <atomic>
#include <catch2/catch.hpp>
#include <string_view>

#include "fsck.h"
#include "support/tools/run_tool.h"

namespace betr::tools {

inline int Fsck(Arguments args, ToolIo& io) {
  const std::atomic<bool> is_cancelled = false;
  return FsckMain(args, io, is_cancelled);
}

// Runs it, and prints what it said if the test fails.
#define CHECK_FSCK(code, run, ...)                          \
  do {                                                      \
    const int exit_of_run = (run).Run(Fsck, {__VA_ARGS__}); \
    INFO((run).out << (run).err);                           \
    CHECK(exit_of_run == (code));                           \
  } while (false)

inline bool Says(const ToolRun& run, std::string_view text) {
  return (run.out + run.err).find(text) != std::string::npos;
}

}  // namespace betr::tools
