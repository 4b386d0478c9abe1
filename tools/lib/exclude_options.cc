// SPDX-License-Identifier: Apache-2.0
#include "exclude_options.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "base/status.h"

namespace betr::tools {
namespace {

absl::Status AddFile(const std::string& path, fs::Exclusions* exclusions) {
  errno = 0;
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.starts_with('#')) continue;
    BETR_RETURN_IF_ERROR(Annotate(exclusions->Add(line), fmt::format("{}: line {}", path, number)));
  }
  return file.eof() ? absl::OkStatus() : ErrnoError(errno, path);
}

}  // namespace

void AddExcludeOptions(Tool* tool, ExcludeOptions* options) {
  CLI::App& app = tool->app();
  app.add_option("--exclude", options->patterns, "Leave out what has such a name: '*.o', 'cache/', '/top/only'")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--exclude-from", options->files, "The same for each line of this file")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

absl::StatusOr<fs::Exclusions> ExclusionsOf(const ExcludeOptions& options) {
  fs::Exclusions exclusions;
  for (const std::string& pattern : options.patterns) {
    BETR_RETURN_IF_ERROR(Annotate(exclusions.Add(pattern), "--exclude"));
  }
  for (const std::string& path : options.files) {
    BETR_RETURN_IF_ERROR(Annotate(AddFile(path, &exclusions), "--exclude-from"));
  }
  return exclusions;
}

}  // namespace betr::tools
