// SPDX-License-Identifier: Apache-2.0
#include "support/ace/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace betr::ace {
namespace {

absl::StatusOr<Persistence> ParsePersistence(std::string_view text) {
  constexpr std::string_view kFsync = "fsync:";
  if (text == "sync") return Persistence{Persistence::Kind::kSync, {}};
  if (!text.starts_with(kFsync) || text == kFsync) {
    return absl::InvalidArgumentError(fmt::format("+{}: neither sync nor fsync:PATH", text));
  }
  const std::string_view path = text.substr(kFsync.size());
  return Persistence{Persistence::Kind::kFsync, path == "/" ? std::string() : std::string(path)};
}

absl::StatusOr<Step> ParseStep(std::string_view text) {
  const size_t plus = text.find('+');
  Step step;
  step.operation = FindOperation(text.substr(0, plus));
  if (step.operation == nullptr) {
    return absl::InvalidArgumentError(fmt::format("{}: no such operation", text.substr(0, plus)));
  }
  if (plus != std::string_view::npos) {
    BETR_ASSIGN_OR_RETURN(step.persistence, ParsePersistence(text.substr(plus + 1)));
  }
  return step;
}

}  // namespace

std::string FormatWorkload(const Workload& workload) {
  std::string text;
  for (const Step& step : workload) {
    text += (text.empty() ? "" : ",") + step.operation->text;
    if (step.persistence.kind == Persistence::Kind::kSync) {
      text += "+sync";
    } else if (step.persistence.kind == Persistence::Kind::kFsync) {
      text += "+fsync:" + (step.persistence.path.empty() ? "/" : step.persistence.path);
    }
  }
  return text;
}

absl::StatusOr<Workload> ParseWorkload(std::string_view text) {
  Workload workload;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    BETR_ASSIGN_OR_RETURN(Step step, ParseStep(text.substr(begin, end - begin)));
    workload.push_back(std::move(step));
    begin = end + 1;
  }
  return workload;
}

}  // namespace betr::ace
