// SPDX-License-Identifier: Apache-2.0
#include "fs/tar/tar_directories.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/status.h"

namespace betr::fs {
namespace {

constexpr int kMostLinks = 40;  // as in Linux

std::string Joined(std::span<const std::string> names) { return "/" + absl::StrJoin(names, "/"); }

}  // namespace

absl::StatusOr<InodeId> TarDirectories::Enter(std::span<const std::string> path, Missing missing) {
  Names way(path.begin(), path.end());
  size_t existing = missing == Missing::kMake ? 0 : way.size();
  for (int links = 0; links <= kMostLinks; ++links) {
    BETR_ASSIGN_OR_RETURN(const std::optional<Link> link, Walk(way, existing));
    if (!link) return levels_.back().directory.inode();
    BETR_RETURN_IF_ERROR(Follow(*link, &way, &existing));
  }
  return ErrnoError(ELOOP, Joined(way));
}

absl::StatusOr<std::optional<TarDirectories::Link>> TarDirectories::Walk(const Names& way, size_t existing) {
  if (levels_.empty()) {
    BETR_ASSIGN_OR_RETURN(const Entry root, fs_.Lookup(kRootInode, "."));
    BETR_ASSIGN_OR_RETURN(OpenFile file, OpenFile::Take(&fs_, root));
    levels_.push_back({"", std::move(file), root.attributes});
  }
  size_t common = 0;
  while (common < way.size() && common + 1 < levels_.size() && levels_[common + 1].name == way[common]) ++common;
  BETR_RETURN_IF_ERROR(LeaveBelow(common + 1));
  for (size_t at = common; at < way.size(); ++at) {
    const std::span<const std::string> here(way.data(), at + 1);
    const Missing missing = at < existing ? Missing::kFail : Missing::kMake;
    const absl::StatusOr<Entry> entry = Find(levels_.back().directory.inode(), way[at], missing);
    if (ToErrno(entry.status()) == ENOENT) return ErrnoError(ENOENT, Joined(here));
    BETR_RETURN_IF_ERROR(entry.status());
    BETR_ASSIGN_OR_RETURN(OpenFile file, OpenFile::Take(&fs_, *entry));
    if (entry->attributes.type == FileType::kSymlink && at >= top_) {
      BETR_ASSIGN_OR_RETURN(std::string target, fs_.ReadLink(file.inode()));
      return Link{at, std::move(target)};
    }
    if (entry->attributes.type != FileType::kDirectory) return ErrnoError(ENOTDIR, Joined(here));
    levels_.push_back({way[at], std::move(file), entry->attributes});
  }
  return std::nullopt;
}

absl::Status TarDirectories::Follow(const Link& link, Names* way, size_t* existing) const {
  const auto before = way->begin() + static_cast<ptrdiff_t>(link.target.starts_with('/') ? top_ : link.at);
  Names names(way->begin(), before);
  bool has_name = false;
  for (const absl::string_view part : absl::StrSplit(link.target, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      names.emplace_back(part);
      has_name = true;
      continue;
    }
    // The name may be that of another link.
    if (has_name) {
      const std::string here = Joined(std::span(*way).first(link.at + 1));
      return ErrnoError(ENOTDIR, absl::StrCat(here, ": leads to ", link.target, ", which is not followed"));
    }
    if (names.size() > top_) names.pop_back();
  }
  const size_t behind = link.at + 1;
  *existing = names.size() + (*existing > behind ? *existing - behind : 0);
  names.insert(names.end(), way->begin() + static_cast<ptrdiff_t>(behind), way->end());
  *way = std::move(names);
  return absl::OkStatus();
}

std::vector<std::string> TarDirectories::Place() const {
  Names names;
  for (const Level& level : std::span(levels_).subspan(1)) names.push_back(level.name);
  return names;
}

absl::Status TarDirectories::Keep(InodeId directory) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs_.GetAttributes(directory));
  keeping_.insert(attributes.inode_number);
  for (Level& level : levels_) {
    if (level.directory.inode() == directory) level.attributes = attributes;
  }
  return absl::OkStatus();
}

absl::Status TarDirectories::LeaveBelow(size_t levels) {
  absl::Status status;
  while (levels_.size() > levels) {
    const absl::Status restored = Restore(levels_.back());
    if (status.ok()) status = Annotate(restored, levels_.back().name);
    levels_.pop_back();
  }
  return status;
}

absl::Status TarDirectories::Restore(const Level& level) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes now, fs_.GetAttributes(level.directory.inode()));
  FileAttributes wanted = now;
  if (keeping_.contains(now.inode_number)) {
    wanted.accessed = level.attributes.accessed;
    wanted.modified = level.attributes.modified;
    wanted.changed = level.attributes.changed;
  }
  if (options_.latest_time) {
    for (FileTime* time : {&wanted.accessed, &wanted.modified, &wanted.changed, &wanted.born}) {
      *time = std::min(*time, *options_.latest_time);
    }
  }
  AttributeChange change;
  if (wanted.accessed != now.accessed) change.accessed = wanted.accessed;
  if (wanted.modified != now.modified) change.modified = wanted.modified;
  if (wanted.born != now.born) change.born = wanted.born;
  if (!change.accessed && !change.modified && !change.born && wanted.changed == now.changed) return absl::OkStatus();
  change.changed = wanted.changed;
  return fs_.SetAttributes(level.directory.inode(), change).status();
}

absl::StatusOr<Entry> TarDirectories::Find(InodeId parent, const std::string& name, Missing missing) {
  absl::StatusOr<Entry> entry = fs_.Lookup(parent, name);
  if (missing == Missing::kFail || ToErrno(entry.status()) != ENOENT) return entry;
  NewFile directory;
  directory.type = FileType::kDirectory;
  directory.permissions = 0755;
  directory.uid = options_.all_root ? 0 : options_.uid;
  directory.gid = options_.all_root ? 0 : options_.gid;
  return fs_.Create(parent, name, directory);
}

bool HasNoPlace(const absl::Status& status) {
  constexpr std::array kErrors = {ENOTDIR, EISDIR, EPERM, ENOENT, ELOOP, ENAMETOOLONG, EINVAL};
  return std::ranges::find(kErrors, ToErrno(status)) != kErrors.end();
}

}  // namespace betr::fs
