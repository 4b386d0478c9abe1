// SPDX-License-Identifier: Apache-2.0
// The file system by path: what tools want. A thin layer over FileSystem's inodes.
//
// Paths. Names joined by slashes; a leading slash, doubled slashes, trailing slashes and "." mean nothing, ".." is
// the parent (the root's is the root); "" and "/" are the root. A trailing slash does not demand a directory. Symlinks
// are not followed: a path that leads through one is ENOTDIR. More than 4096 bytes, which are kMaxPathSize
// and a slash in front, are ENAMETOOLONG, also if some of them mean nothing.
//
// Errors, threads and cost are FileSystem's; messages name the path, and both paths where it takes two to go wrong.
#pragma once

#include <functional>

#include "betr/filesystem.h"

namespace betr {

// An open file or directory: keeps its inode from being reclaimed. Movable; closes itself.
class OpenFile {
 public:
  OpenFile() = default;
  // Opens the inode, and takes over the reference that `entry` carries. ESTALE if it was removed meanwhile.
  static absl::StatusOr<OpenFile> Take(FileSystem* fs, const Entry& entry);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  InodeId inode() const { return inode_; }
  // As they were when it was opened; FileSystem::GetAttributes knows them now.
  const FileAttributes& attributes() const { return attributes_; }

 private:
  OpenFile(FileSystem* fs, const Entry& entry) : fs_(fs), inode_(entry.inode), attributes_(entry.attributes) {}
  void Release();

  FileSystem* fs_ = nullptr;
  InodeId inode_;
  FileAttributes attributes_;
};

class PathFileSystem {
 public:
  // `fs` outlives this.
  explicit PathFileSystem(FileSystem* fs) : fs_(*fs) {}

  FileSystem& fs() const { return fs_; }

  // ENOENT, ENOTDIR. Opens what is at the path, whatever it is.
  absl::StatusOr<OpenFile> Open(std::string_view path);
  absl::StatusOr<FileAttributes> Stat(std::string_view path);
  // Whether there is something; errors other than ENOENT and ENOTDIR are errors.
  absl::StatusOr<bool> Exists(std::string_view path);

  absl::StatusOr<OpenFile> Create(std::string_view path, const NewFile& file);
  absl::Status MakeDirectory(std::string_view path, uint32_t permissions = 0755);
  // Also the directories above that are missing; ok if it is there already.
  absl::Status MakeDirectories(std::string_view path, uint32_t permissions = 0755);
  absl::Status MakeSymlink(std::string_view target, std::string_view path);
  absl::Status Link(std::string_view from, std::string_view to);
  absl::Status Unlink(std::string_view path);
  absl::Status RemoveDirectory(std::string_view path);
  absl::Status RemoveTree(std::string_view path);
  absl::Status Rename(std::string_view from, std::string_view to, RenameMode mode = RenameMode::kReplace);
  absl::Status Clone(std::string_view from, std::string_view to);

  absl::StatusOr<FileAttributes> SetAttributes(std::string_view path, const AttributeChange& change);
  absl::StatusOr<std::string> ReadLink(std::string_view path);

  // Whole files, for those that fit into memory. WriteFile makes the file if it is missing and replaces its
  // content if not.
  absl::StatusOr<std::string> ReadFile(std::string_view path);
  absl::Status WriteFile(std::string_view path, std::string_view content, uint32_t permissions = 0644);

  // The names in a directory, in order.
  absl::StatusOr<std::vector<std::string>> List(std::string_view path);
  // Visits everything below `path`, and first `path` itself, in key order: all entries of a directory, then what
  // is below each. The visited path is relative to `path` ("" for itself). An error of `visit` ends the walk.
  // Memory: the names of the directories on the way down. Stack: a call for each level, of which there are at most
  // 2,304, whatever the image holds (docs/filesystem.md#limits).
  using Visitor = std::function<absl::Status(const std::string& path, const FileAttributes& attributes)>;
  absl::Status Walk(std::string_view path, const Visitor& visit);

  absl::Status FindDifferences(std::string_view before, std::string_view after,
                               absl::FunctionRef<absl::Status(const EntryDifference&)> visit);

 private:
  struct Place;  // a parent directory, open, and a name in it
  absl::StatusOr<OpenFile> OpenName(InodeId directory, const std::string& name);
  absl::StatusOr<OpenFile> OpenParts(const std::vector<std::string>& names);
  absl::StatusOr<Place> Locate(std::string_view path);
  absl::Status WalkBelow(const OpenFile& directory, const std::string& prefix, const Visitor& visit);

  FileSystem& fs_;
};

}  // namespace betr
