// SPDX-License-Identifier: Apache-2.0
// The command line of mount.betr: its own form, and the one that mount(8) uses.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "betr/experiments.h"
#include "log.h"
#include "server.h"
#include "tool.h"

namespace betr::fuse {

struct MountCommand {
  std::string image;
  std::string directory;
  std::vector<std::string> option_lists;  // of each -o
  bool foreground = false;
  bool sloppy = false;
  bool debug = false;
  bool no_mtab = false;
  std::string type;
};

// What the option lists say.
struct MountPlan {
  ServerSettings server;
  Bytes cache_size{0};  // 0: the store's default
  Experiments experiments;
  std::chrono::seconds commit_period{5};
  bool io_uring = false;
  unsigned threads = 0;                 // 0: as many as the machine has, within limits
  std::chrono::microseconds look{200};  // how long to look for the next request before a thread sleeps
  bool access_times = false;
  bool remount = false;
  bool allow_other = false;
  bool syslog = false;
  std::string name;  // of the source, as in /proc/mounts
  std::string subtype = "betr";
  std::vector<std::string> kernel;  // for libfuse and the kernel: "nosuid", "noexec", ...
};

tools::ToolDescription MountDescription();

// Adds the options to the parser. `command` outlives it.
void AddMountOptions(tools::Tool* tool, MountCommand* command);

// Interprets the option lists of a command. kInvalidArgument for an option with a wrong value, and for an unknown one
// unless `sloppy`.
absl::StatusOr<MountPlan> PlanOf(const MountCommand& command, bool is_root);

// Splits a list at its commas. A backslash keeps the character behind it as it is.
std::vector<std::string> SplitOptions(std::string_view list);

// Returns the flags of mount(2) for a remount. With MS_BIND the kernel takes those that hold for one mount only.
unsigned long MountFlags(const MountPlan& plan);

// Whether `option` is passed to the kernel and libfuse.
bool IsPassed(const MountPlan& plan, std::string_view option);

// Returns the value of -o for libfuse.
std::string FuseOptions(const MountPlan& plan);

}  // namespace betr::fuse
