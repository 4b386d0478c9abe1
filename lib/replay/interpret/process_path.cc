// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/process_path.h"

#include <algorithm>

#include "replay/trace/scan.h"

namespace betr::replay {
namespace {

// Takes the first name of the path and the slashes behind it.
std::string_view TakeName(std::string_view* path) {
  const size_t end = std::min(path->find('/'), path->size());
  const std::string_view name = path->substr(0, end);
  path->remove_prefix(std::min(path->find_first_not_of('/', end), path->size()));
  return name;
}

std::optional<int> ParseStandard(std::string_view path) {
  if (path == "/dev/stdin") return 0;
  if (path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  return std::nullopt;
}

// Takes `/proc/self/`, `/proc/7/task/8/`, ...; false if there is nothing of that kind.
bool TakeProcess(std::string_view* path, std::optional<ThreadNumber>* thread) {
  constexpr std::string_view kProcesses = "/proc/";
  if (!path->starts_with(kProcesses)) return false;
  path->remove_prefix(kProcesses.size());
  const std::string_view process = TakeName(path);
  ThreadNumber number = 0;
  if (ParseDecimal(process, &number)) {
    *thread = number;
  } else if (process != "self" && process != "thread-self") {
    return false;
  }
  constexpr std::string_view kThreads = "task/";
  if (!path->starts_with(kThreads)) return true;
  path->remove_prefix(kThreads.size());
  if (!ParseDecimal(TakeName(path), &number)) return false;
  *thread = number;
  return true;
}

}  // namespace

std::optional<ProcessPath> ParseProcessPath(std::string_view path) {
  ProcessPath parsed;
  if (const std::optional<int> standard = ParseStandard(path)) {
    parsed.descriptor = *standard;
    return parsed;
  }
  const bool ends_in_slash = path.ends_with('/');
  constexpr std::string_view kOwnDescriptors = "/dev/fd/";
  std::string_view rest = path;
  std::string_view what = "fd";
  if (path.starts_with(kOwnDescriptors)) {
    rest.remove_prefix(kOwnDescriptors.size());
  } else {
    if (!TakeProcess(&rest, &parsed.thread)) return std::nullopt;
    what = TakeName(&rest);
  }
  if (what == "fd") {
    if (!ParseDecimal(TakeName(&rest), &parsed.descriptor) || parsed.descriptor < 0) return std::nullopt;
  } else if (what == "cwd") {
    parsed.kind = ProcessPath::Kind::kDirectory;
  } else if (what == "root") {
    parsed.kind = ProcessPath::Kind::kRoot;
  } else {
    return std::nullopt;
  }
  parsed.rest = rest.empty() && ends_in_slash ? "." : rest;
  return parsed;
}

}  // namespace betr::replay
