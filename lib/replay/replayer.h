// SPDX-License-Identifier: Apache-2.0
// Performs operations one after the other, in the order of the trace. One thread.
#pragma once

#include "replay/interpret/interpreter.h"
#include "replay/interpret/name_space.h"
#include "replay/interpret/operation.h"
#include "replay/meter.h"

namespace betr::replay {

class Replayer final : public OperationSink {
 public:
  // Both must outlive this. The name space gives the paths for messages.
  Replayer(Meter* meter, const NameSpace* space) : meter_(*meter), space_(*space) {}

  void Perform(const Operation& operation) override;

 private:
  Meter& meter_;
  const NameSpace& space_;
};

// Returns the path that an operation is about: that of the name that it gives, else any that its node has or had. May
// be empty.
std::string PathOf(const Operation& operation, const NameSpace& space);

}  // namespace betr::replay
