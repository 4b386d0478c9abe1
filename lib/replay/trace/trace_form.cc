// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/trace_form.h"

#include <filesystem>

#include "replay/trace/line_file.h"
#include "replay/trace/trace_file_format.h"
#include "replay/trace/trace_text.h"

namespace betr::replay {

TraceForm FormOfBeginning(std::string_view bytes) {
  if (bytes.starts_with(kTraceMagic)) return TraceForm::kCompact;
  return bytes.starts_with(kTextMagic) ? TraceForm::kText : TraceForm::kStrace;
}

TraceForm FormOf(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return TraceForm::kStrace;
  const auto file = LineFile::Open(path);
  if (!file.ok()) return TraceForm::kStrace;
  const absl::StatusOr<std::optional<std::string>> line = (*file)->Next();
  return line.ok() ? FormOfBeginning(line->value_or("")) : TraceForm::kStrace;
}

}  // namespace betr::replay
