// SPDX-License-Identifier: Apache-2.0
// Copies between the host and a file system, with progress: fs/transfer/tree_copy.h, as tools want it.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <string>
#include <vector>

#include "betr/filesystem.h"
#include "fs/transfer/tree_copy.h"
#include "progress.h"
#include "tool.h"

namespace betr::tools {

// One copy, possibly of several sources. `inside` is a path in the image. What is at the destination stays, unless it
// has the name of something that is copied, as fs/transfer/tree_copy.h says.
class Transfer {
 public:
  // `image` is the path of the image itself, which no copy may take in or overwrite. Owner, image and progress in the
  // options are set here. `tool` and `fs` must outlive this.
  Transfer(const Tool& tool, FileSystem* fs, const std::string& image, const fs::CopyOptions& options);
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
  const fs::CopyTotals& counts() const { return counts_; }

 private:
  // Makes a callback end the line of progress before it prints.
  template <class... Arguments>
  void ClearBefore(std::function<void(Arguments...)>* callback);
  absl::Status Add(const absl::StatusOr<fs::CopyTotals>& counts);
  // Makes `write` write what it makes of `sources` to the archive.
  absl::Status WriteArchive(const std::vector<std::string>& sources, const std::string& archive,
                            absl::FunctionRef<absl::StatusOr<fs::CopyTotals>(int descriptor)> write);

  const ToolIo& io_;
  FileSystem* fs_;
  const std::string image_;
  fs::CopyOptions options_;
  Progress progress_;
  fs::CopyTotals counts_;
};

}  // namespace betr::tools
