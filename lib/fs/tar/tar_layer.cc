// SPDX-License-Identifier: Apache-2.0
#include "fs/tar/tar_layer.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/status.h"
#include "betr/path_filesystem.h"

namespace betr::fs {
namespace {

constexpr std::string_view kWhiteout = ".wh.";
// What is left when this is taken away is no name, but says something of the directory.
constexpr std::string_view kMeta = ".wh..wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";

bool IsWhiteout(std::string_view name) { return name.starts_with(kWhiteout); }

bool IsMissing(const absl::Status& status) { return ToErrno(status) == ENOENT; }

}  // namespace

std::string WhiteoutOf(std::string_view name) { return std::string(kWhiteout) += name; }

bool HasWhiteout(std::string_view path) {
  for (;;) {
    if (IsWhiteout(path)) return true;
    const size_t slash = path.find('/');
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

std::vector<std::string> LayerDirectories::Before(std::string_view parent) {
  const std::string end = Key(parent);
  std::vector<std::string> paths;
  while (!waiting_.empty() && *waiting_.begin() <= end) paths.push_back(TakeFirst());
  if (last_ != parent) {
    last_ = parent;
    paths.push_back(last_);
  }
  return paths;
}

std::vector<std::string> LayerDirectories::Rest() {
  std::vector<std::string> paths;
  while (!waiting_.empty()) paths.push_back(TakeFirst());
  return paths;
}

std::string LayerDirectories::Key(std::string_view path) {
  std::string key(path);
  std::ranges::replace(key, '/', '\0');
  return key;
}

std::string LayerDirectories::TakeFirst() {
  last_ = std::move(waiting_.extract(waiting_.begin()).value());
  std::ranges::replace(last_, '\0', '/');
  return last_;
}

absl::StatusOr<bool> LayerRemover::Apply(const std::vector<std::string>& path) {
  if (path.size() <= top_ || !IsWhiteout(path.back())) return false;
  const std::string& says = path.back();
  const bool is_opaque = says == kOpaque;
  // Others like that are left over from how layers were made, and mean nothing when unpacking them.
  if (!is_opaque && says.starts_with(kMeta)) return true;
  const std::string name = says.substr(kWhiteout.size());
  if (!is_opaque && (name.empty() || name == "." || name == "..")) {
    return absl::InvalidArgumentError("says that something without a name is gone");
  }
  const std::span parent(path.data(), path.size() - 1);
  const absl::StatusOr<InodeId> directory = directories_.Enter(parent, TarDirectories::Missing::kFail);
  if (!directory.ok()) {
    BETR_RETURN_IF_ERROR(IsMissing(directory.status()) ? absl::OkStatus() : directory.status());
    return true;
  }
  Names place = directories_.Place();
  if (!is_opaque) place.push_back(name);
  BETR_RETURN_IF_ERROR(is_opaque ? HideAllIn(*directory, place) : Hide(*directory, place));
  return true;
}

absl::Status LayerRemover::MakeWay(InodeId parent, const std::string& name, bool for_directory) {
  Names path = directories_.Place();
  path.push_back(name);
  for (size_t size = path.size(); size > top_; --size) {
    const auto end = path.begin() + static_cast<ptrdiff_t>(size);
    if (!brought_.insert(absl::StrJoin(path.begin(), end, "/")).second) break;
  }
  const absl::StatusOr<Entry> there = fs_.Lookup(parent, name);
  if (!there.ok()) return IsMissing(there.status()) ? absl::OkStatus() : there.status();
  fs_.Forget(there->inode);
  const bool is_directory = there->attributes.type == FileType::kDirectory;
  return is_directory == for_directory ? absl::OkStatus() : Remove(parent, path);
}

absl::Status LayerRemover::Hide(InodeId parent, const Names& path) {
  const absl::StatusOr<Entry> there = fs_.Lookup(parent, path.back());
  if (!there.ok()) return IsMissing(there.status()) ? absl::OkStatus() : there.status();
  fs_.Forget(there->inode);
  const FileType type = there->attributes.type;
  if (IsExcluded(path, type)) {
    ++totals_.excluded;
    return absl::OkStatus();
  }
  if (!brought_.contains(absl::StrJoin(path, "/"))) return Remove(parent, path);
  if (type != FileType::kDirectory) return absl::OkStatus();
  // Not only looked up: what is entered gets its times back.
  BETR_ASSIGN_OR_RETURN(const InodeId directory, directories_.Enter(path, TarDirectories::Missing::kFail));
  return HideAllIn(directory, path);
}

absl::Status LayerRemover::HideAllIn(InodeId directory, const Names& path) {
  Names names;
  BETR_RETURN_IF_ERROR(fs_.ReadDirectory(directory, "", [&](const DirectoryEntry& entry) {
    names.emplace_back(entry.name);
    return true;
  }));
  Names below = path;
  below.emplace_back();
  for (std::string& name : names) {
    below.back() = std::move(name);
    BETR_RETURN_IF_ERROR(Hide(directory, below));
  }
  return absl::OkStatus();
}

absl::Status LayerRemover::Remove(InodeId parent, const Names& path) {
  BETR_RETURN_IF_ERROR(fs_.RemoveTree(parent, path.back()));
  ++totals_.removed;
  if (options_.removed) options_.removed(absl::StrCat("/", absl::StrJoin(path, "/")));
  return absl::OkStatus();
}

bool LayerRemover::IsExcluded(const Names& path, FileType type) const {
  const auto top = path.begin() + static_cast<ptrdiff_t>(top_);
  return options_.exclusions.ExcludesWithParents(absl::StrJoin(top, path.end(), "/"), type);
}

}  // namespace betr::fs
