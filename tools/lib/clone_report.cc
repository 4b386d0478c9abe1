// SPDX-License-Identifier: Apache-2.0
#include "clone_report.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "json_output.h"
#include "progress.h"

namespace betr::tools {

void TellOfClone(const Tool& tool, const CloneReport& report) {
  if (tool.json()) {
    Json json = NewDocument("clone");
    json["from"] = JsonText(report.from);
    json["to"] = JsonText(report.to);
    json["nanoseconds"] = report.took.count();
    if (report.nodes_touched) json["nodes_touched"] = *report.nodes_touched;
    PrintJson(tool.io().out, json);
  } else if (tool.verbosity() > 0 && !tool.quiet()) {
    std::string line =
        fmt::format("clone {} -> {}: {}", Legible(report.from), Legible(report.to), FormatDuration(report.took));
    if (report.nodes_touched) {
      line += fmt::format(", {}{} nodes touched", report.is_shared ? "about " : "", *report.nodes_touched);
    }
    tool.io().out << line << '\n';
  }
}

absl::Status CloneIntoItself(const std::string& to) {
  return absl::InvalidArgumentError(to + ": cannot clone a directory into itself");
}

}  // namespace betr::tools
