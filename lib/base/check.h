// SPDX-License-Identifier: Apache-2.0
// Assertions for our own invariants. They stay on in release builds. What can go wrong outside (damage, full disks, bad
// arguments) is an absl::Status, never one of these.
#pragma once

#include <source_location>
#include <string_view>

namespace betr {

// Prints "file:line: function: broken invariant: what" to stderr and aborts.
[[noreturn]] void CheckFailed(std::string_view what, const std::source_location& where);

// Aborts unless the invariant holds. `what` says the invariant as a sentence that is true when it holds.
inline void Check(bool holds, std::string_view what,
                  const std::source_location& where = std::source_location::current()) {
  if (!holds) [[unlikely]] {
    CheckFailed(what, where);
  }
}

}  // namespace betr
