// SPDX-License-Identifier: Apache-2.0
#include "replay/converted/converted_trace.h"

#include "base/status.h"
#include "replay/converted/trace_reader.h"
#include "replay/converted/trace_text_reader.h"
#include "replay/trace/trace_form.h"

namespace betr::replay {

absl::StatusOr<std::unique_ptr<ConvertedTrace>> ConvertedTrace::Open(const std::string& path) {
  if (FormOf(path) == TraceForm::kText) return TraceTextReader::Open(path);
  return TraceReader::Open(path);
}

}  // namespace betr::replay
