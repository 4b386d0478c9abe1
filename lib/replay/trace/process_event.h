// SPDX-License-Identifier: Apache-2.0
// What happens to the threads of a trace, for a replay that has threads of its own.
#pragma once

#include <cstdint>

namespace betr::replay {

using ThreadNumber = uint32_t;  // as the trace has it; may be used again when the thread has ended

struct ProcessEvent {
  enum class Kind : uint8_t {
    kFork,  // `other` begins: `thread` has made it
    kJoin,  // `thread` has waited for the end of `other`
    kEnd,   // `thread` has ended
  };
  Kind kind = Kind::kEnd;
  ThreadNumber thread = 0;
  ThreadNumber other = 0;
  uint64_t line = 0;

  friend bool operator==(const ProcessEvent&, const ProcessEvent&) = default;
};

}  // namespace betr::replay
