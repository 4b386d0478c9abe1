// SPDX-License-Identifier: Apache-2.0
// Writes the text form of a converted trace (trace_text.h). Behind operations there are the paths that they are about,
// as comments. One thread.
#pragma once

#include <absl/status/status.h>

#include <ostream>
#include <string_view>

#include "replay/interpreter.h"
#include "replay/manifest.h"
#include "replay/name_space.h"
#include "replay/trace_outcome.h"

namespace betr::replay {

class TraceTextWriter final : public OperationSink {
 public:
  // `out` and `space` outlive this; the name space follows the operations.
  TraceTextWriter(std::ostream* out, std::string_view root, const Manifest& initial, const NameSpace* space);

  void Perform(const Operation& operation) override;
  void Follow(const ProcessEvent& event) override;
  // After the last operation. kUnavailable if writing failed.
  absl::Status Finish(const TraceOutcome& outcome);

 private:
  void AddLines(std::string_view word, const Manifest& manifest);

  std::ostream& out_;
  const NameSpace& space_;
};

}  // namespace betr::replay
