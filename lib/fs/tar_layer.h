// SPDX-License-Identifier: Apache-2.0
// Archives that say how a tree differs from another one, as layers of container images do (the image specification of
// the Open Container Initiative, "Image Layer Filesystem Changeset"). What was added or changed is there as a whole;
// what is gone is an empty file, `.wh.NAME` for NAME (a whiteout). `.wh..wh..opq` in a directory says that of all that
// the layers below have in it.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fs/tar_directories.h"
#include "fs/tree_copy.h"

namespace betr::fs {

// The name that says that `name` is gone.
std::string WhiteoutOf(std::string_view name);
// Whether a name on a path says such a thing, whatever it means: no file can have it in a layer.
bool HasWhiteout(std::string_view path);

// When a layer that is written has the directories that differ: those who unpack set the times of a directory when they
// leave it, so each comes right before what is in it. Paths are relative to the tree's top, which is "".
class LayerDirectories {
 public:
  // It differs itself. To be told in the order of FileSystem::FindDifferences.
  void Differs(std::string_view path) { waiting_.insert(Key(path)); }
  // What has to be written before something that is in `parent`: what comes before in the order of trees, and last
  // `parent` itself, unless it was the last one anyway, for that changes its times.
  std::vector<std::string> Before(std::string_view parent);
  // What has to be written in the end.
  std::vector<std::string> Rest();

 private:
  // With NUL for the slash, so that what is in a directory comes right behind it.
  static std::string Key(std::string_view path);
  std::string TakeFirst();

  std::set<std::string> waiting_;  // memory: the names of the directories on the way down
  std::string last_ = "/";         // the path of the last one; none at first
};

// Takes away what a layer that is unpacked says is gone. What the layer itself has brought stays, wherever in it that
// is said. Memory: the paths of the layer.
class LayerRemover {
 public:
  // All outlive this. `top` is the destination's number of names.
  LayerRemover(FileSystem* fs, TarDirectories* directories, size_t top, const CopyOptions& options, CopyTotals* totals)
      : fs_(*fs), directories_(*directories), top_(top), options_(options), totals_(*totals) {}

  // Whether the entry at `path` (names from the root on) is none to be made, but says what is gone; that is removed
  // then. Nothing there is no error. Errors: kInvalidArgument for what names nothing.
  absl::StatusOr<bool> Apply(const std::vector<std::string>& path);

  // What is about to be made as `name`, in `parent`, which was entered last, is the layer's: what has the name goes,
  // unless both are directories, or neither is.
  absl::Status MakeWay(InodeId parent, const std::string& name, bool for_directory);

 private:
  using Names = std::vector<std::string>;

  // Both leave what was entered only for what is below it.
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
