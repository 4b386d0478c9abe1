// SPDX-License-Identifier: Apache-2.0
// The file system by path, for tools: a thin layer over the inodes of FileSystem.
//
// Paths are names joined by slashes. Leading, doubled and trailing slashes and "." mean nothing; a trailing slash does
// not demand a directory. ".." is the parent; that of the root is the root. "" and "/" are the root. Symlinks are not
// followed: a path that leads through one is ENOTDIR. A path of more than 4096 bytes (kMaxPathSize and a leading slash)
// is ENAMETOOLONG, even if some of them mean nothing.
//
// Errors, thread safety and cost are as for FileSystem. Messages name the path, or both paths if two are involved.
#pragma once

#include <functional>

#include "betr/filesystem.h"

namespace betr {

// An open file or directory. It keeps its inode from being reclaimed. Movable; the destructor closes it.
class OpenFile {
 public:
  OpenFile() = default;
  // Opens the inode and takes over the reference that `entry` carries. ESTALE if it was removed meanwhile.
  static absl::StatusOr<OpenFile> Take(FileSystem* fs, const Entry& entry);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  InodeId inode() const { return inode_; }
  // The attributes at the time of opening. FileSystem::GetAttributes returns the present ones.
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
  // `fs` must outlive this object.
  explicit PathFileSystem(FileSystem* fs) : fs_(*fs) {}

  FileSystem& fs() const { return fs_; }

  // Opens what is at the path, whatever it is. ENOENT, ENOTDIR.
  absl::StatusOr<OpenFile> Open(std::string_view path);
  absl::StatusOr<FileAttributes> Stat(std::string_view path);
  // Returns whether there is anything at the path: false for ENOENT and ENOTDIR. Other errors are returned.
  absl::StatusOr<bool> Exists(std::string_view path);

  absl::StatusOr<OpenFile> Create(std::string_view path, const NewFile& file);
  absl::Status MakeDirectory(std::string_view path, uint32_t permissions = 0755);
  // Makes the directory and any missing ones above it, all as `directory` says. Ok if it is there already. Requires:
  // directory.type is kDirectory.
  absl::Status MakeDirectories(std::string_view path, const NewFile& directory);
  absl::Status MakeDirectories(std::string_view path, uint32_t permissions = 0755);
  absl::Status MakeSymlink(std::string_view target, std::string_view path);
  absl::Status Link(std::string_view from, std::string_view to);
  absl::Status Unlink(std::string_view path);
  absl::Status RemoveDirectory(std::string_view path);
  absl::Status RemoveTree(std::string_view path);
  absl::Status Rename(std::string_view from, std::string_view to, RenameMode mode = RenameMode::kReplace,
                      const NewFile* left = nullptr);
  absl::Status Clone(std::string_view from, std::string_view to);

  absl::StatusOr<FileAttributes> SetAttributes(std::string_view path, const AttributeChange& change);
  absl::StatusOr<std::string> ReadLink(std::string_view path);

  // Read and write whole files, which must fit into memory. WriteFile makes the file if it is missing, and replaces its
  // content otherwise.
  absl::StatusOr<std::string> ReadFile(std::string_view path);
  absl::Status WriteFile(std::string_view path, std::string_view content, uint32_t permissions = 0644);

  // Returns the names in a directory, in order.
  absl::StatusOr<std::vector<std::string>> List(std::string_view path);
  // Visits `path` and then everything below it in key order: all entries of a directory, then what is below each. The
  // visited path is relative to `path`; "" is `path` itself. An error of `visit` ends the walk. Memory: the names of
  // the directories on the way down. Stack: one call per level; there are at most 2,304 levels, whatever the image
  // holds (docs/filesystem.md#limits).
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
