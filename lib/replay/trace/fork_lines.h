// SPDX-License-Identifier: Apache-2.0
// What lines say about new threads, and about threads that get the numbers of others. Pure; O(bytes).
#pragma once

#include <optional>
#include <string_view>

#include "replay/trace/process_event.h"
#include "replay/trace/trace_source.h"

namespace betr::replay {

bool IsFork(std::string_view name);

// Returns the child that a fork returned.
std::optional<ThreadNumber> ChildOf(const CallResult& result);

// Returns the child of a fork that began in `begin` and goes on in `end`, if it does.
std::optional<ThreadNumber> ChildOf(const TraceLine& begin, const TraceLine& end);

// Returns the child of a fork that is this one line.
std::optional<ThreadNumber> ChildOfWhole(const SourceLine& line);

// Returns the child of a fork that `line` begins and `next` ends, with nothing else in between, as -z prints it.
std::optional<ThreadNumber> ChildOfDivided(const SourceLine& line, const SourceLine& next);

// Recognises `strace: Process 20499 attached`.
std::optional<ThreadNumber> Attached(std::string_view text);

// Recognises `+++ superseded by execve in pid 1001 +++`. If a thread other than the first of a process calls execve, it
// gets the number of the first.
std::optional<ThreadNumber> Superseding(std::string_view text);

}  // namespace betr::replay
