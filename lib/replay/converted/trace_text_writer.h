// SPDX-License-Identifier: Apache-2.0
// Writes the text form of a converted trace (trace_text.h). Adds to operations the paths that they are about, as
// comments. One thread.
#pragma once

#include <absl/status/status.h>

#include <ostream>
#include <string_view>

#include "replay/interpret/interpreter.h"
#include "replay/interpret/manifest.h"
#include "replay/interpret/name_space.h"
#include "replay/interpret/trace_outcome.h"

namespace betr::replay {

class TraceTextWriter final : public OperationSink {
 public:
  // `out` and `space` must outlive this. The name space must follow the operations.
  TraceTextWriter(std::ostream* out, std::string_view root, const Manifest& initial, const NameSpace* space);

  void Perform(const Operation& operation) override;
  void Follow(const ProcessEvent& event) override;
  // Ends the file, after the last operation. kUnavailable if writing failed.
  absl::Status Finish(const TraceOutcome& outcome);

 private:
  void AddLines(std::string_view word, const Manifest& manifest);

  std::ostream& out_;
  const NameSpace& space_;
};

}  // namespace betr::replay
