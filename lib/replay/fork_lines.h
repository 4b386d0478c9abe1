// SPDX-License-Identifier: Apache-2.0
// What lines say of threads that come, or get the numbers of others. Pure; O(bytes).
#pragma once

#include <optional>
#include <string_view>

#include "replay/process_event.h"
#include "replay/trace_source.h"

namespace betr::replay {

bool IsFork(std::string_view name);

// The child that a fork returns.
std::optional<ThreadNumber> ChildOf(const CallResult& result);

// The child of a fork that began in `begin` and goes on, if it does, in `end`.
std::optional<ThreadNumber> ChildOf(const TraceLine& begin, const TraceLine& end);

// The child of a fork that is this one line.
std::optional<ThreadNumber> ChildOfWhole(const SourceLine& line);

// The child of a fork that a line begins and the one behind it ends, as -z has it, with nothing but the rest.
std::optional<ThreadNumber> ChildOfDivided(const SourceLine& line, const SourceLine& next);

// `strace: Process 20499 attached`.
std::optional<ThreadNumber> Attached(std::string_view text);

// `+++ superseded by execve in pid 1001 +++`: when another thread than the first of a process calls execve, it gets the
// number of the first.
std::optional<ThreadNumber> Superseding(std::string_view text);

}  // namespace betr::replay
