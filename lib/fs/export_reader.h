// SPDX-License-Identifier: Apache-2.0
// How exports read a file system that may be damaged: as far as they can, and on behind what they cannot.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fs/tree_copy.h"

namespace betr::fs {

// Bytes of a file, `end` not among them.
struct DataRange {
  uint64_t begin;
  uint64_t end;
};

class ExportReader {
 public:
  // Both outlive this.
  ExportReader(FileSystem* fs, const CopyOptions& options) : fs_(*fs), options_(options) {}

  // As FileSystem::Read, but what lies before the first block that cannot be read is no error. Cost: of a read that
  // fails, O(log size) more of them.
  absl::StatusOr<size_t> Read(InodeId inode, uint64_t at, std::span<char> buffer);

  // What is no hole at `at` or behind, up to `size`; nothing if all of that is one. Where it cannot be told, because
  // something cannot be read, the rest counts as no hole; a read of it will tell.
  absl::StatusOr<std::optional<DataRange>> NextData(InodeId inode, uint64_t at, uint64_t size);

  // Tells of an error that is about what cannot be read, and gives ok: the copy goes on without it. Any other error,
  // and each one if nobody wants to be told, is given back.
  absl::Status PassOver(const absl::Status& status, std::string_view path);
  // The same of an error that says that the host will not have something, as a file system without owners, links or
  // such names, or one for which the user has no rights, or where what has the name does not give way; and not that
  // nothing more can be written.
  absl::Status GoOnIfRefused(const absl::Status& status, std::string_view path);
  // The same of any error.
  absl::Status GoOnWithout(const absl::Status& status, std::string_view path);
  // How often they did.
  uint64_t passed_over() const { return passed_over_; }

 private:
  FileSystem& fs_;
  const CopyOptions& options_;
  uint64_t passed_over_ = 0;
};

}  // namespace betr::fs
