// SPDX-License-Identifier: Apache-2.0
// ExportReader reads a file system that may be damaged, for exports: as far as possible, and on past what cannot be
// read.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fs/transfer/tree_copy.h"

namespace betr::fs {

// The bytes [begin, end) of a file.
struct DataRange {
  uint64_t begin;
  uint64_t end;
};

class ExportReader {
 public:
  // Both outlive this.
  ExportReader(FileSystem* fs, const CopyOptions& options) : fs_(*fs), options_(options) {}

  // As FileSystem::Read, but returns what lies before the first block that cannot be read instead of an error. Cost: a
  // read that fails takes O(log size) more reads.
  absl::StatusOr<size_t> Read(InodeId inode, uint64_t at, std::span<char> buffer);

  // Returns the first range at or after `at`, up to `size`, that is no hole; nothing if all of that is one. If
  // something cannot be read that would tell, the rest counts as no hole. Reading it will tell.
  absl::StatusOr<std::optional<DataRange>> NextData(InodeId inode, uint64_t at, uint64_t size);

  // Reports an error about what cannot be read, and returns ok: the copy goes on without it. Returns any other error as
  // it is, and, if nobody wants to be told, each error.
  absl::Status PassOver(const absl::Status& status, std::string_view path);
  // The same for an error that says that the host refuses something. Its file system may have no owners, links or such
  // names, the user may lack the rights, or what has the name may not give way. Errors that say that nothing more can
  // be written are returned.
  absl::Status GoOnIfRefused(const absl::Status& status, std::string_view path);
  // The same for any error.
  absl::Status GoOnWithout(const absl::Status& status, std::string_view path);
  // How often these three went on after an error.
  uint64_t gone_without() const { return gone_without_; }

 private:
  FileSystem& fs_;
  const CopyOptions& options_;
  uint64_t gone_without_ = 0;
};

}  // namespace betr::fs
