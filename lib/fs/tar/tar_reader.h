// SPDX-License-Identifier: Apache-2.0
// TarReader reads the entries of an archive, one after the other.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/units.h"
#include "fs/tar/tar_archive.h"

namespace betr::fs {

class TarReader {
 public:
  // Reads from where `descriptor` stands.
  explicit TarReader(int descriptor) : descriptor_(descriptor) {}

  // Returns the next entry, valid until the next call, or null at the end. Errors name the entry, or the one before.
  absl::StatusOr<archive_entry*> Next();
  // The name of the current entry, as it is in the archive.
  const std::string& name() const { return name_; }
  // Whether the archive is one of tar(1), whatever its kind. Requires: an entry was read.
  bool IsTar() const { return (archive_format(reader_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR; }

  // Visits the content of the current entry, holes left out.
  absl::Status ReadContent(absl::FunctionRef<absl::Status(uint64_t offset, std::string_view bytes)> visit);

 private:
  absl::Status Open(const char* locale);
  // As archive_read_next_header, but ok with a name that is not ASCII.
  int NextHeader(archive_entry** entry);
  // Why the next header could not be read.
  absl::Status Failure(std::string_view what) const;
  // Reads a pipe to its end. Otherwise the program that writes into it would die of the padding after the archive.
  void Drain() const;

  const int descriptor_;
  std::optional<ThreadLocale> locale_;
  ReaderHandle reader_;
  std::string name_;
  bool began_ = false;
};

// Splits `name` in an archive into names below the top. "." and empty names mean nothing; ".." is an error.
absl::StatusOr<std::vector<std::string>> SplitArchiveName(std::string_view name);

}  // namespace betr::fs
