// SPDX-License-Identifier: Apache-2.0
// Copies between the host and a file system, with progress: fs/tree_copy.h, as tools want it.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/filesystem.h"
#include "fs/tree_copy.h"
#include "progress.h"
#include "tool.h"

namespace betr::tools {

struct TransferOptions {
  bool all_attributes = false;  // copies owner, mode, times, xattrs, links; else they are the caller's, and of now
  bool update = false;          // fs::CopyOptions, as the next ones
  bool remove_others = false;
  bool one_file_system = false;           // into the image
  bool is_layer = false;                  // into the image, from an archive
  fs::Exclusions exclusions{};            // both ways
  bool all_root = false;                  // into the image: everything belongs to user 0 and group 0
  std::optional<FileTime> latest_time{};  // into the image: no time is later than this
  std::string image{};                    // the image itself, which no copy may take in or overwrite
  // Called for what cannot be read; the copy then goes on. Without it, that ends the copy.
  std::function<void(const absl::Status&)> unreadable{};
  // Called for what has no place in the copy: fs::CopyOptions::left_out.
  std::function<void(std::string_view)> left_out{};
  // Called for what is removed: fs::CopyOptions::removed.
  std::function<void(std::string_view)> removed{};
  bool dry_run = false;  // of trees: fs::CopyOptions, as the next one
  std::function<void(std::string_view, bool is_new)> written{};
};

using TransferCounts = fs::CopyTotals;

// One copy, possibly of several sources. `inside` is a path in the image. What is at the destination stays, unless it
// has the name of something that is copied, as fs/tree_copy.h says.
class Transfer {
 public:
  // `tool` and `fs` must outlive this.
  Transfer(const Tool& tool, FileSystem* fs, const TransferOptions& options);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Says what is going to be copied, for the remaining time. Call it once before copying, or not at all.
  void ExpectFromHost(const std::vector<std::string>& paths);
  void ExpectFromInside(const std::vector<std::string>& paths);

  absl::Status ImportTrees(const std::vector<fs::CopyPair>& trees);
  absl::Status ExportTrees(const std::vector<fs::CopyPair>& trees);
  // The same for tar archives. "-" is stdin or stdout; the descriptor is used, not the stream.
  absl::Status ImportTar(const std::string& archive, const std::string& inside);
  absl::Status ExportTar(const std::string& inside, const std::string& archive);
  // Exports how `inside` differs from `base`: fs::ExportLayer.
  absl::Status ExportLayer(const std::string& base, const std::string& inside, const std::string& archive);

  // Returns what all of these have copied, as far as they succeeded.
  const TransferCounts& counts() const { return counts_; }

 private:
  fs::CopyOptions CopyOptions();
  absl::Status Add(const absl::StatusOr<TransferCounts>& counts);
  // Makes `write` write what it makes of `sources` to the archive.
  absl::Status WriteArchive(const std::vector<std::string>& sources, const std::string& archive,
                            absl::FunctionRef<absl::StatusOr<TransferCounts>(int descriptor)> write);

  const ToolIo& io_;
  FileSystem* fs_;
  const TransferOptions options_;
  Progress progress_;
  TransferCounts counts_;
};

}  // namespace betr::tools
