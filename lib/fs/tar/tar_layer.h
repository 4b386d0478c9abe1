// SPDX-License-Identifier: Apache-2.0
// Archives that say how a tree differs from another one, as layers of container images do (the image specification of
// the Open Container Initiative, "Image Layer Filesystem Changeset"). What was added or changed is there as a whole.
// For what is gone there is an empty file (a whiteout): `.wh.NAME` for NAME. `.wh..wh..opq` in a directory says that
// all that the layers below have in it is gone.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fs/tar/tar_directories.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

// The name that says that `name` is gone.
std::string WhiteoutOf(std::string_view name);
// Whether a name on a path is a whiteout, whatever it means. No file in a layer can have such a name.
bool HasWhiteout(std::string_view path);

// LayerDirectories decides when directories that differ are written to a layer. Programs that unpack it set the times
// of a directory when they leave it, so each directory comes right before what is in it. Paths are relative to the
// tree's top, which is "".
class LayerDirectories {
 public:
  // To be called for a directory that itself differs, in the order of FileSystem::FindDifferences.
  void Differs(std::string_view path) { waiting_.insert(Key(path)); }
  // Returns what has to be written before something that is in `parent`: what comes before it in the order of trees,
  // and at the end `parent` itself, since its times change. `parent` is left out if it was written last anyway.
  std::vector<std::string> Before(std::string_view parent);
  // Returns what has to be written at the end.
  std::vector<std::string> Rest();

 private:
  // With NUL for the slash, so that what is in a directory comes right behind it.
  static std::string Key(std::string_view path);
  std::string TakeFirst();

  std::set<std::string> waiting_;  // memory: the names of the directories on the way down
  std::string last_ = "/";         // the path of the last one; none at first
};

// LayerRemover removes what a layer that is unpacked says is gone. What the layer itself has brought stays, wherever in
// the layer it is said to be gone. Memory: the paths of the layer.
class LayerRemover {
 public:
  // All outlive this. `top` is the destination's number of names.
  LayerRemover(FileSystem* fs, TarDirectories* directories, size_t top, const CopyOptions& options, CopyTotals* totals)
      : fs_(*fs), directories_(*directories), top_(top), options_(options), totals_(*totals) {}

  // If the entry at `path` (names from the root on) is a whiteout, removes what it says is gone, and returns true. Such
  // an entry is not to be made. It is no error if there is nothing to remove. Errors: kInvalidArgument for a whiteout
  // that names nothing.
  absl::StatusOr<bool> Apply(const std::vector<std::string>& path);

  // To be called before an entry of the layer is made as `name` in `parent`, which was entered last. Removes what has
  // the name, unless both are directories, or neither is.
  absl::Status MakeWay(InodeId parent, const std::string& name, bool for_directory);

 private:
  using Names = std::vector<std::string>;

  // Hide and HideAllIn leave what was entered only for what is below it.
  absl::Status Hide(InodeId parent, const Names& path);
  absl::Status HideAllIn(InodeId directory, const Names& path);
  absl::Status Remove(InodeId parent, const Names& path);
  bool IsExcluded(const Names& path, FileType type) const;

  FileSystem& fs_;
  TarDirectories& directories_;
  const size_t top_;
  const CopyOptions& options_;
  CopyTotals& totals_;
  absl::flat_hash_set<std::string> brought_;  // paths without links, with those of the directories that they are in
};

}  // namespace betr::fs
