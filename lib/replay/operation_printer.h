// SPDX-License-Identifier: Apache-2.0
// Operations as text, for people: one line each, with line of the trace, thread, kind, path as far as it is known,
// what else the operation has, and how it ended in the trace.
//
//   12 100 create /w/a node=5 file=1 flags=0x241 mode=0644 = 0
//   13 100 write node=5 file=1 offset=0 length=100 position = 100
//
// One thread.
#pragma once

#include <ostream>
#include <string>

#include "replay/interpreter.h"
#include "replay/name_space.h"
#include "replay/operation.h"

namespace betr::replay {

// `space` is as it was before the operation.
std::string FormatOperation(const Operation& operation, const NameSpace& space);
std::string FormatProcessEvent(const ProcessEvent& event);

class OperationPrinter final : public OperationSink {
 public:
  // Both outlive this; the name space follows the operations.
  OperationPrinter(std::ostream* out, const NameSpace* space) : out_(*out), space_(*space) {}

  void Perform(const Operation& operation) override { out_ << FormatOperation(operation, space_) << '\n'; }
  void Follow(const ProcessEvent& event) override { out_ << FormatProcessEvent(event) << '\n'; }

 private:
  std::ostream& out_;
  const NameSpace& space_;
};

}  // namespace betr::replay
