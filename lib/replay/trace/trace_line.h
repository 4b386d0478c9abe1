// SPDX-License-Identifier: Apache-2.0
// Takes apart one line of strace output: whose it is, when it was, and what it says. Recognises all forms of -f, -t,
// -tt, -ttt, -r, --timestamps, -T, -y, -yy, -Y, -n and -i by their looks, so no option has to be named. What the
// arguments of a call mean is not known here (argument.h).
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace betr::replay {

// What follows ` = `.
struct CallResult {
  bool returned = false;                             // false for `?`: the call did not return, or is restarted
  int64_t value = -1;                                // octal, hex and decimal alike
  int64_t pid = -1;                                  // the same if it is of a process, as strace knows that
  int error = 0;                                     // errno; 0 if the call succeeded
  std::string annotation{};                          // of -y, undecoded, without the angle brackets
  std::optional<std::chrono::nanoseconds> duration;  // of -T

  bool ok() const { return returned && error == 0; }
};

struct TraceLine {
  enum class Kind : uint8_t {
    kCall,          // whole
    kUnfinished,    // `name(arguments <unfinished ...>`
    kResumed,       // `<... name resumed>arguments) = result`, undivided in `arguments`
    kContinuation,  // the rest of a line that something else broke, undivided in `arguments`
    kBroken,        // begins a line that a message of strace itself broke; `arguments` has what there is
    kSignal,
    kExit,  // `+++ ... +++`
    kNote,  // a message of strace itself
  };
  // How the time is to be read.
  enum class Clock : uint8_t { kNone, kSinceEpoch, kOfDay, kSincePrevious };

  Kind kind = Kind::kNote;
  std::optional<uint32_t> pid{};
  Clock clock = Clock::kNone;
  std::chrono::nanoseconds time{0};
  std::string name{};
  std::string arguments{};
  CallResult result{};
};

// Parses a line. `text` has no newline. kInvalidArgument if it is not a line of strace.
absl::StatusOr<TraceLine> ParseTraceLine(std::string_view text);

// Splits `arguments) = result <duration>`, which is what a whole line has behind its first parenthesis.
absl::StatusOr<TraceLine> ParseCall(std::string_view name, std::string_view rest);

}  // namespace betr::replay
