// SPDX-License-Identifier: Apache-2.0
#include "replay/compare.h"

#include <fmt/format.h>

#include <unordered_map>

namespace betr::replay {
namespace {

class Comparer {
 public:
  explicit Comparer(const std::set<std::string>& unknown_modes) : unknown_modes_(unknown_modes) {}

  void Both(const ManifestEntry& expected, const ManifestEntry& found) {
    if (expected.type != found.type) return Differ(found, "another type");
    if (expected.permissions != found.permissions) {
      const std::string what = fmt::format("mode {:04o} instead of {:04o}", found.permissions, expected.permissions);
      if (unknown_modes_.contains(found.path)) {
        result_.explained.push_back(fmt::format("{}: {}: the trace does not tell it", EscapePath(found.path), what));
      } else {
        Differ(found, what);
      }
    }
    if (expected.size != found.size) Differ(found, fmt::format("size {} instead of {}", found.size, expected.size));
    if (expected.target != found.target) {
      Differ(found, fmt::format("leads to {} instead of {}", EscapePath(found.target), EscapePath(expected.target)));
    }
    if (expected.device != found.device) Differ(found, "another device");
    CompareLinks(expected, found);
  }

  void Differ(const ManifestEntry& entry, std::string_view what) {
    result_.differences.push_back(fmt::format("{}: {}", EscapePath(entry.path), what));
  }

  Comparison Take() { return std::move(result_); }

 private:
  // Groups have other numbers on both sides, but must hold the same names. Listings tell them of files only.
  void CompareLinks(const ManifestEntry& expected, const ManifestEntry& found) {
    if (expected.type != FileType::kRegular) return;
    if ((expected.link_group == 0) != (found.link_group == 0)) {
      return Differ(found, found.link_group == 0 ? "not a hard link any more" : "a hard link");
    }
    if (expected.link_group == 0) return;
    const bool is_one = groups_.try_emplace(expected.link_group, found.link_group).first->second == found.link_group;
    const bool is_it = wanted_.try_emplace(found.link_group, expected.link_group).first->second == expected.link_group;
    if (!is_one || !is_it) Differ(found, "a link to another inode");
  }

  const std::set<std::string>& unknown_modes_;
  std::unordered_map<uint64_t, uint64_t> groups_;  // found, by the expected one
  std::unordered_map<uint64_t, uint64_t> wanted_;  // expected, by the found one
  Comparison result_;
};

}  // namespace

Comparison Compare(const Manifest& expected, const Manifest& found, const std::set<std::string>& unknown_modes) {
  Comparer comparer(unknown_modes);
  auto wanted = expected.entries.begin();
  for (const ManifestEntry& entry : found.entries) {
    for (; wanted != expected.entries.end() && wanted->path < entry.path; ++wanted) comparer.Differ(*wanted, "missing");
    if (wanted == expected.entries.end() || wanted->path != entry.path) {
      comparer.Differ(entry, "not expected");
    } else {
      comparer.Both(*wanted++, entry);
    }
  }
  for (; wanted != expected.entries.end(); ++wanted) comparer.Differ(*wanted, "missing");
  Comparison result = comparer.Take();
  if (!expected.digest.empty()) result.is_digest_equal = DigestOf(found) == expected.digest;
  return result;
}

}  // namespace betr::replay
