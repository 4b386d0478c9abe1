// SPDX-License-Identifier: Apache-2.0
// Which calls the interpreter knows, by name.
#pragma once

#include <string_view>

#include "replay/interpret/interpreter.h"

namespace betr::replay {

class CallTable {
 public:
  struct Entry {
    Interpreter::Handler handler = nullptr;   // when the call has ended; null: it matters, but replay does not do it
    Interpreter::Handler at_begin = nullptr;  // what takes effect when the call begins
  };

  // Finds a call. Null if it has nothing to do with files.
  static const Entry* Find(std::string_view name);

 private:
  struct Row {
    std::string_view name;
    Entry entry;
  };
  static const Row kRows[];
};

}  // namespace betr::replay
