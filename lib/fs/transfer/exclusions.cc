// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/exclusions.h"

#include <absl/strings/str_split.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <clocale>
#include <span>

namespace betr::fs {
namespace {

constexpr std::string_view kAnyDirectories = "**";

using Components = std::vector<std::string>;

Components Split(std::string_view path) { return absl::StrSplit(std::string(path), '/', absl::SkipEmpty()); }

// Patterns and names are bytes while this lives, whatever characters the thread's locale knows.
class InBytes {
 public:
  InBytes() : previous_(uselocale(Bytes())) {}
  ~InBytes() { uselocale(previous_); }
  InBytes(const InBytes&) = delete;
  InBytes& operator=(const InBytes&) = delete;

 private:
  static locale_t Bytes() {
    static const locale_t kBytes = newlocale(LC_ALL_MASK, "C", locale_t{});
    return kBytes;
  }

  const locale_t previous_;
};

// Whether all components of the pattern match all names.
bool Matches(std::span<const std::string> pattern, std::span<const std::string> names) {
  if (pattern.empty()) return names.empty();
  if (pattern.front() == kAnyDirectories) {
    // Behind the last one there is a name.
    for (size_t skipped = pattern.size() == 1 ? 1 : 0; skipped <= names.size(); ++skipped) {
      if (Matches(pattern.subspan(1), names.subspan(skipped))) return true;
    }
    return false;
  }
  return !names.empty() && fnmatch(pattern.front().c_str(), names.front().c_str(), 0) == 0 &&
         Matches(pattern.subspan(1), names.subspan(1));
}

}  // namespace

absl::Status Exclusions::Add(std::string_view pattern) {
  Pattern added{Split(pattern), pattern.starts_with('/'), pattern.ends_with('/')};
  const auto is_no_name = [](const std::string& component) { return component == "." || component == ".."; };
  if (added.components.empty() || std::ranges::any_of(added.components, is_no_name)) {
    return absl::InvalidArgumentError(fmt::format("pattern '{}': no name is like that", pattern));
  }
  patterns_.push_back(std::move(added));
  return absl::OkStatus();
}

bool Exclusions::Excludes(std::string_view path, FileType type) const {
  if (patterns_.empty()) return false;
  const InBytes in_bytes;
  const Components names = Split(path);
  return std::ranges::any_of(patterns_, [&](const Pattern& pattern) {
    if (pattern.only_directories && type != FileType::kDirectory) return false;
    const std::span<const std::string> all(names);
    const size_t starts = pattern.from_top ? 1 : all.size();
    for (size_t start = 0; start < starts; ++start) {
      if (Matches(pattern.components, all.subspan(start))) return true;
    }
    return false;
  });
}

bool Exclusions::ExcludesWithParents(std::string_view path, FileType type) const {
  for (size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (Excludes(path.substr(0, slash), FileType::kDirectory)) return true;
  }
  return Excludes(path, type);
}

}  // namespace betr::fs
