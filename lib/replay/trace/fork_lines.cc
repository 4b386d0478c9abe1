// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/fork_lines.h"

#include "replay/trace/scan.h"

namespace betr::replay {

bool IsFork(std::string_view name) { return name == "fork" || name == "vfork" || name == "clone" || name == "clone3"; }

std::optional<ThreadNumber> ChildOf(const CallResult& result) {
  if (!result.ok() || result.pid <= 0) return std::nullopt;
  return static_cast<ThreadNumber>(result.pid);
}

std::optional<ThreadNumber> ChildOf(const TraceLine& begin, const TraceLine& end) {
  if (end.kind != TraceLine::Kind::kResumed || end.name != begin.name) return std::nullopt;
  const absl::StatusOr<TraceLine> whole = ParseCall(begin.name, begin.arguments + end.arguments);
  return whole.ok() ? ChildOf(whole->result) : std::nullopt;
}

std::optional<ThreadNumber> ChildOfWhole(const SourceLine& line) {
  const bool is_fork = line.parsed.ok() && line.parsed->kind == TraceLine::Kind::kCall && IsFork(line.parsed->name);
  return is_fork ? ChildOf(line.parsed->result) : std::nullopt;
}

std::optional<ThreadNumber> ChildOfDivided(const SourceLine& line, const SourceLine& next) {
  const bool is_begin = line.parsed.ok() && line.parsed->kind == TraceLine::Kind::kUnfinished;
  const bool is_rest = !next.parsed.ok() || next.parsed->kind == TraceLine::Kind::kContinuation;
  if (!is_begin || !is_rest || !IsFork(line.parsed->name)) return std::nullopt;
  const absl::StatusOr<TraceLine> whole = ParseCall(line.parsed->name, line.parsed->arguments + next.text);
  return whole.ok() ? ChildOf(whole->result) : std::nullopt;
}

std::optional<ThreadNumber> Attached(std::string_view text) {
  constexpr std::string_view kBegin = "strace: Process ";
  const size_t at = text.rfind(kBegin);
  ThreadNumber thread = 0;
  if (at == std::string_view::npos || !text.ends_with(" attached")) return std::nullopt;
  text.remove_prefix(at + kBegin.size());
  if (!ParseDecimal(text.substr(0, text.find(' ')), &thread)) return std::nullopt;
  return thread;
}

std::optional<ThreadNumber> Superseding(std::string_view text) {
  constexpr std::string_view kBegin = "+++ superseded by execve in pid ";
  ThreadNumber thread = 0;
  if (!text.starts_with(kBegin)) return std::nullopt;
  text.remove_prefix(kBegin.size());
  if (!ParseDecimal(text.substr(0, text.find(' ')), &thread)) return std::nullopt;
  return thread;
}

}  // namespace betr::replay
