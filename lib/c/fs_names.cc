// SPDX-License-Identifier: Apache-2.0
// The names of a file system.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "c/answer.h"
#include "c/fs_convert.h"
#include "c/fs_handles.h"
#include "c/sized.h"

namespace betr::c {
namespace {

absl::StatusOr<RenameMode> RenameModeOf(int mode) {
  if (mode == BETR_RENAME_REPLACE) return RenameMode::kReplace;
  if (mode == BETR_RENAME_NO_REPLACE) return RenameMode::kNoReplace;
  if (mode == BETR_RENAME_EXCHANGE) return RenameMode::kExchange;
  return absl::InvalidArgumentError("mode: is none of BETR_RENAME_REPLACE, _NO_REPLACE and _EXCHANGE");
}

// For functions that take one path, and for those that take two.
template <class... Arguments>
betr_code Change(betr_fs* fs, const char* path, absl::Status (PathFileSystem::*method)(std::string_view, Arguments...),
                 Arguments... arguments) {
  return Answer({FaultOfHandle(fs), FaultOf(path, "path")}, [&] { return (fs->Paths().*method)(path, arguments...); });
}

betr_code Change(betr_fs* fs, const char* from, const char* to,
                 absl::Status (PathFileSystem::*method)(std::string_view, std::string_view)) {
  return Answer({FaultOfHandle(fs), FaultOf(from, "from"), FaultOf(to, "to")},
                [&] { return (fs->Paths().*method)(from, to); });
}

Fault FaultOfAny(std::span<const char* const> paths) {
  for (const char* path : paths) {
    if (path == nullptr) return FaultOf(path, "paths");
  }
  return {};
}

const betr_attributes* AddressOf(const std::optional<betr_attributes>& attributes) {
  return attributes.has_value() ? &*attributes : nullptr;
}

std::optional<betr_attributes> DescribeSide(const std::optional<FileAttributes>& attributes) {
  return attributes.has_value() ? std::optional(Describe(*attributes)) : std::nullopt;
}

}  // namespace

extern "C" {

betr_code betr_fs_stat(betr_fs* fs, const char* path, betr_attributes* attributes) {
  ClearSized(attributes);
  return Answer({FaultOfHandle(fs), FaultOf(path, "path"), FaultOf(attributes, "attributes")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const FileAttributes found, fs->Paths().Stat(path));
    return WriteSized(Describe(found), attributes, "attributes");
  });
}

betr_code betr_fs_make(betr_fs* fs, const char* path, const betr_new_file* what) {
  return Answer({FaultOfHandle(fs), FaultOf(path, "path")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const NewFile file, NewFileOf(what));
    return fs->Paths().Create(path, file).status();
  });
}

betr_code betr_fs_make_directories(betr_fs* fs, const char* path, uint32_t permissions) {
  return Change(fs, path, &PathFileSystem::MakeDirectories, permissions);
}

betr_code betr_fs_link(betr_fs* fs, const char* from, const char* to) {
  return Change(fs, from, to, &PathFileSystem::Link);
}

betr_code betr_fs_unlink(betr_fs* fs, const char* path) { return Change(fs, path, &PathFileSystem::Unlink); }

betr_code betr_fs_remove_directory(betr_fs* fs, const char* path) {
  return Change(fs, path, &PathFileSystem::RemoveDirectory);
}

betr_code betr_fs_remove_tree(betr_fs* fs, const char* path) { return Change(fs, path, &PathFileSystem::RemoveTree); }

betr_code betr_fs_rename(betr_fs* fs, const char* from, const char* to, int mode) {
  return Answer({FaultOfHandle(fs), FaultOf(from, "from"), FaultOf(to, "to")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const RenameMode how, RenameModeOf(mode));
    return fs->Paths().Rename(from, to, how);
  });
}

betr_code betr_fs_clone(betr_fs* fs, const char* from, const char* to) {
  return Change(fs, from, to, &PathFileSystem::Clone);
}

betr_code betr_fs_for_each_name(betr_fs* fs, const char* path, const char* after,
                                bool (*visit)(void* user, const char* name, const betr_attributes* attributes),
                                void* user) {
  return Answer({FaultOfHandle(fs), FaultOf(path, "path"), FaultOf(visit, "visit")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const OpenFile directory, fs->Paths().Open(path));
    return fs->fs->ReadDirectory(directory.inode(), StringOf(after), [&](const DirectoryEntry& entry) {
      const betr_attributes attributes = Describe(entry.attributes);
      return visit(user, std::string(entry.name).c_str(), &attributes);
    });
  });
}

betr_code betr_fs_for_each_difference(betr_fs* fs, const char* before, const char* after,
                                      bool (*visit)(void* user, const betr_name_difference* difference), void* user) {
  return Answer({FaultOfHandle(fs), FaultOf(before, "before"), FaultOf(after, "after"), FaultOf(visit, "visit")}, [&] {
    const absl::Status enough = absl::CancelledError("the caller has seen enough");
    const absl::Status found = fs->Paths().FindDifferences(before, after, [&](const EntryDifference& difference) {
      const std::optional<betr_attributes> was = DescribeSide(difference.before);
      const std::optional<betr_attributes> is = DescribeSide(difference.after);
      const betr_name_difference fields = {sizeof fields, difference.path.c_str(), AddressOf(was),
                                           AddressOf(is), difference.content,      difference.xattrs};
      return visit(user, &fields) ? absl::OkStatus() : enough;
    });
    return found == enough ? absl::OkStatus() : found;
  });
}

betr_code betr_fs_footprint_of(betr_fs* fs, const char* const* paths, size_t count, betr_footprint_stats* footprint) {
  ClearSized(footprint);
  return Answer({FaultOfHandle(fs), FaultOf(paths, count, "paths"), FaultOf(footprint, "footprint")},
                [&]() -> absl::Status {
                  const std::span given(paths, count);
                  BETR_RETURN_IF_ERROR(Check({FaultOfAny(given)}));
                  std::vector<OpenFile> open;
                  std::vector<InodeId> inodes;
                  for (const char* path : given) {
                    BETR_ASSIGN_OR_RETURN(OpenFile file, fs->Paths().Open(path));
                    inodes.push_back(file.inode());
                    open.push_back(std::move(file));
                  }
                  BETR_ASSIGN_OR_RETURN(const Footprint found, fs->fs->FootprintOf(inodes));
                  return WriteSized({0, found.stored.value, found.exclusive.value}, footprint, "footprint");
                });
}

}  // extern "C"

}  // namespace betr::c
