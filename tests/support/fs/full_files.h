// SPDX-License-Identifier: Apache-2.0
// Fills a file system with one kind of operation, and deletes everything one by one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "betr/path_filesystem.h"

namespace betr::test {

enum class FillKind : uint8_t {
  kMkdir,
  kCreate,
  kSymlink,
  kLink,        // many names of few files
  kXattr,       // of all sizes: in the record, and outside of it
  kSmallWrite,  // parts of blocks of files that grow
  kLargeWrite,
  kOverwrite,  // of files that clones share
  kClone,      // of a directory, and a change in the clone
  kRename,     // of new files, over others, and of directories
  kExchange,   // of new files with others, and of directories
  kMkfifo,
  kAllocate,   // writes, and holes, zeros and longer files
  kCopyRange,  // parts of a file into files that grow
};
inline constexpr FillKind kFillKinds[] = {
    FillKind::kMkdir,      FillKind::kCreate,     FillKind::kSymlink,   FillKind::kLink,     FillKind::kXattr,
    FillKind::kSmallWrite, FillKind::kLargeWrite, FillKind::kOverwrite, FillKind::kClone,    FillKind::kRename,
    FillKind::kExchange,   FillKind::kMkfifo,     FillKind::kAllocate,  FillKind::kCopyRange};
std::string_view NameOf(FillKind kind);
// Whether clones share content. Such content cannot be deleted one by one in any order without end.
inline bool Shares(FillKind kind) { return kind == FillKind::kClone || kind == FillKind::kOverwrite; }

// Works below a directory of its own. One thread at a time; any number of these may run beside each other.
class FullFiles {
 public:
  FullFiles(FileSystem* fs, std::string directory, FillKind kind, uint64_t seed)
      : fs_(*fs), paths_(fs), directory_(std::move(directory)), kind_(kind), random_(seed) {}

  const std::string& directory() const { return directory_; }

  // Makes the directory, and what the operations need. Called anew in each round.
  absl::Status Prepare();
  // Does one operation. Returns its error, which is ENOSPC in the end.
  absl::Status Add();
  size_t added() const { return added_; }

  // Lists what there is now.
  absl::Status List();
  // Deletes everything that was listed, and the directory, by unlink, rmdir, truncate and removexattr, files in any
  // order. Returns the first error.
  absl::Status DeleteEach();
  // Deletes everything that was listed by unlink and rmdir, as `rm -rf` does: one directory after the other. Returns
  // the first error.
  absl::Status DeleteInOrder();
  absl::Status DeleteAtOnce() { return paths_.RemoveTree(directory_); }

 private:
  std::string Path(std::string_view name) const { return directory_ + "/" + std::string(name); }
  std::string NewPath() const;
  std::string Target();
  absl::Status Append(const std::string& path, size_t size);
  absl::Status AddXattr();
  absl::Status AddClone();
  absl::Status AddRename();
  absl::Status AddExchange();
  absl::Status Allocate();
  absl::Status CopyRange();
  absl::Status Overwrite();
  absl::StatusOr<OpenFile> OpenOrCreate(const std::string& path);
  absl::Status Strip(const std::string& path, const FileAttributes& attributes);

  FileSystem& fs_;
  PathFileSystem paths_;
  const std::string directory_;
  const FillKind kind_;
  Random random_;
  size_t added_ = 0;
  std::vector<std::pair<std::string, FileAttributes>> all_;
};

}  // namespace betr::test
