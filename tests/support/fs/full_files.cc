// SPDX-License-Identifier: Apache-2.0
#include "support/fs/full_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace betr::test {
namespace {

constexpr size_t kLinksOfAFile = 500;
constexpr size_t kXattrsOfAFile = 40;
constexpr size_t kGrowing = 30;  // files
constexpr size_t kShared = 8;    // files of a directory that is cloned
constexpr size_t kSharedSize = 5000;
constexpr size_t kMoving = 7;              // directories
constexpr size_t kCopied = KiB(30).value;  // of the file that is copied

}  // namespace

std::string_view NameOf(FillKind kind) {
  constexpr std::string_view kNames[] = {"mkdir",       "create",      "symlink",   "link",      "xattr",
                                         "small write", "large write", "overwrite", "clone",     "rename",
                                         "exchange",    "mkfifo",      "allocate",  "copy_range"};
  return kNames[static_cast<size_t>(kind)];
}

// Long, so that not too many are needed.
std::string FullFiles::NewPath() const { return Path(fmt::format("{:016x}{:->150}", added_ * 0x9e3779b97f4a7c15, "")); }

absl::Status FullFiles::Prepare() {
  added_ = 0;
  BETR_RETURN_IF_ERROR(paths_.MakeDirectories(directory_));
  if (Shares(kind_)) {
    BETR_RETURN_IF_ERROR(paths_.MakeDirectory(Path("source")));
    for (size_t i = 0; i < kShared; ++i) {
      BETR_RETURN_IF_ERROR(paths_.WriteFile(Path(fmt::format("source/{}", i)), random_.String(kSharedSize)));
    }
  }
  if (kind_ == FillKind::kRename) BETR_RETURN_IF_ERROR(paths_.MakeDirectory(Path("new")));
  if (kind_ == FillKind::kExchange) {
    for (size_t i = 0; i < kMoving; ++i) BETR_RETURN_IF_ERROR(paths_.MakeDirectory(Path(fmt::format("{}", i))));
  }
  if (kind_ == FillKind::kCopyRange) BETR_RETURN_IF_ERROR(paths_.WriteFile(Path("source"), random_.String(kCopied)));
  return absl::OkStatus();
}

absl::Status FullFiles::Add() {
  ++added_;
  switch (kind_) {
    case FillKind::kMkdir:
      return paths_.MakeDirectories(added_ % 10 == 0 ? NewPath() + "/below/and/deeper" : NewPath());
    case FillKind::kCreate:
      return paths_.Create(NewPath(), {}).status();
    case FillKind::kSymlink:
      return paths_.MakeSymlink(Target(), NewPath());
    case FillKind::kLink: {
      const std::string file = Path(fmt::format("file {}", added_ / kLinksOfAFile));
      return added_ == 1 || added_ % kLinksOfAFile == 0 ? paths_.Create(file, {}).status()
                                                        : paths_.Link(file, NewPath());
    }
    case FillKind::kXattr:
      return AddXattr();
    case FillKind::kSmallWrite:
      return Append(Path(fmt::format("{}", random_.Uniform(kGrowing))), random_.Between(1, 700));
    case FillKind::kLargeWrite:
      return paths_.WriteFile(NewPath(), random_.String(random_.Between(KiB(20).value, KiB(80).value)));
    case FillKind::kOverwrite:
      return Overwrite();
    case FillKind::kClone:
      return AddClone();
    case FillKind::kRename:
      return AddRename();
    case FillKind::kExchange:
      return AddExchange();
    case FillKind::kMkfifo:
      return paths_.Create(NewPath(), {.type = FileType::kFifo}).status();
    case FillKind::kAllocate:
      return Allocate();
    case FillKind::kCopyRange:
      return CopyRange();
  }
  return absl::OkStatus();
}

std::string FullFiles::Target() {
  std::string target = random_.String(random_.Between(1, 1000));
  std::ranges::replace(target, '\0', 'x');
  return target;
}

absl::StatusOr<OpenFile> FullFiles::OpenOrCreate(const std::string& path) {
  BETR_ASSIGN_OR_RETURN(const bool exists, paths_.Exists(path));
  return exists ? paths_.Open(path) : paths_.Create(path, {});
}

absl::Status FullFiles::Append(const std::string& path, size_t size) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, OpenOrCreate(path));
  return fs_.Append(file.inode(), random_.String(size)).status();
}

absl::Status FullFiles::AddXattr() {
  const std::string path = Path(fmt::format("file {}", added_ / kXattrsOfAFile));
  BETR_ASSIGN_OR_RETURN(const OpenFile file, OpenOrCreate(path));
  const size_t size = random_.OneIn(20) ? random_.Uniform(KiB(20).value) : random_.Skewed(11);
  return fs_.SetXattr(file.inode(), fmt::format("user.{}", added_), random_.String(size));
}

absl::Status FullFiles::Overwrite() {
  if (added_ % 40 == 1) return paths_.Clone(Path("source"), NewPath());
  BETR_ASSIGN_OR_RETURN(const OpenFile file, paths_.Open(Path(fmt::format("source/{}", random_.Uniform(kShared)))));
  return fs_.Write(file.inode(), random_.Uniform(kSharedSize), random_.String(random_.Between(1, 3000))).status();
}

absl::Status FullFiles::AddClone() {
  const std::string clone = NewPath();
  BETR_RETURN_IF_ERROR(paths_.Clone(Path("source"), clone));
  return Append(fmt::format("{}/{}", clone, random_.Uniform(kShared)), random_.Between(1, 3000));
}

absl::Status FullFiles::AddRename() {
  const std::string made = Path(fmt::format("new/{}", added_));
  const std::string home = Path(fmt::format("{}", added_ % kMoving));
  BETR_RETURN_IF_ERROR(paths_.WriteFile(made, random_.String(random_.Uniform(8000))));
  BETR_RETURN_IF_ERROR(paths_.MakeDirectories(home));
  // Now and then over another file.
  BETR_RETURN_IF_ERROR(paths_.Rename(made, fmt::format("{}/{}", home, added_ - random_.Uniform(2) * kMoving)));
  return random_.OneIn(30) ? paths_.Rename(home, NewPath()) : absl::OkStatus();
}

absl::Status FullFiles::AddExchange() {
  const std::string home = Path(fmt::format("{}", added_ % kMoving));
  const std::string file = fmt::format("{}/{}", home, added_);
  BETR_RETURN_IF_ERROR(paths_.WriteFile(file, random_.String(random_.Uniform(8000))));
  if (added_ <= kMoving) return absl::OkStatus();
  const std::string other = Path(fmt::format("{}", random_.Uniform(kMoving)));
  if (other != home && random_.OneIn(30)) return paths_.Rename(home, other, RenameMode::kExchange);
  // Directories may have changed places, so the file before this one may be anywhere.
  const std::string before = fmt::format("{}/{}", other, added_ - 1);
  BETR_ASSIGN_OR_RETURN(const bool exists, paths_.Exists(before));
  return exists ? paths_.Rename(file, before, RenameMode::kExchange) : absl::OkStatus();
}

absl::Status FullFiles::Allocate() {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, OpenOrCreate(Path(fmt::format("{}", random_.Uniform(kGrowing)))));
  BETR_ASSIGN_OR_RETURN(const uint64_t at, fs_.Append(file.inode(), random_.String(random_.Between(1, 20'000))));
  constexpr AllocateMode kModes[] = {AllocateMode::kExtend, AllocateMode::kKeepSize, AllocateMode::kPunchHole,
                                     AllocateMode::kZero, AllocateMode::kZeroKeepSize};
  // Less than was written goes, so that it gets full.
  return fs_.Allocate(file.inode(), kModes[random_.Uniform(std::size(kModes))], at + random_.Uniform(20'000),
                      random_.Between(1, 5000));
}

absl::Status FullFiles::CopyRange() {
  BETR_ASSIGN_OR_RETURN(const OpenFile from, paths_.Open(Path("source")));
  BETR_ASSIGN_OR_RETURN(const OpenFile to, OpenOrCreate(NewPath()));
  const uint64_t at = random_.Between(1, kCopied - 1);  // not all of it: that would be cloned
  return fs_.CopyRange(from.inode(), at, to.inode(), random_.Uniform(kCopied), kCopied - at).status();
}

absl::Status FullFiles::Strip(const std::string& path, const FileAttributes& attributes) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, paths_.Open(path));
  BETR_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs_.ListXattrs(file.inode()));
  for (const std::string& name : names) {
    BETR_RETURN_IF_ERROR(Annotate(fs_.RemoveXattr(file.inode(), name), "removexattr " + path));
  }
  for (uint64_t size = attributes.size; attributes.type == FileType::kRegular && size > 0; size /= 3) {
    BETR_RETURN_IF_ERROR(
        Annotate(fs_.SetAttributes(file.inode(), {.size = size / 3}).status(), fmt::format("truncate {}", path)));
  }
  return absl::OkStatus();
}

absl::Status FullFiles::List() {
  all_.clear();
  return paths_.Walk(directory_, [&](const std::string& path, const FileAttributes& attributes) {
    all_.emplace_back(path.empty() ? directory_ : Path(path), attributes);
    return absl::OkStatus();
  });
}

absl::Status FullFiles::DeleteEach() {
  // Files in any order; directories behind what is in them.
  std::vector<size_t> order;
  for (size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].second.type != FileType::kDirectory) order.push_back(i);
  }
  random_.Shuffle(std::span(order));
  for (const size_t i : order) {
    const auto& [path, attributes] = all_[i];
    if (random_.OneIn(2)) BETR_RETURN_IF_ERROR(Strip(path, attributes));
    BETR_RETURN_IF_ERROR(Annotate(paths_.Unlink(path), "unlink " + path));
  }
  for (auto each = all_.rbegin(); each != all_.rend(); ++each) {
    if (each->second.type == FileType::kDirectory) {
      BETR_RETURN_IF_ERROR(Annotate(paths_.RemoveDirectory(each->first), "rmdir " + each->first));
    }
  }
  return absl::OkStatus();
}

absl::Status FullFiles::DeleteInOrder() {
  // Backwards, so that each directory comes behind what is in it.
  std::ranges::sort(all_, [](const auto& one, const auto& other) { return one.first > other.first; });
  for (const auto& [path, attributes] : all_) {
    const bool directory = attributes.type == FileType::kDirectory;
    BETR_RETURN_IF_ERROR(Annotate(directory ? paths_.RemoveDirectory(path) : paths_.Unlink(path), "remove " + path));
  }
  return absl::OkStatus();
}

}  // namespace betr::test
