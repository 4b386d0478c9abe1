// SPDX-License-Identifier: Apache-2.0
#include "fs/tar/tar_reader.h"

#include <absl/strings/str_format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/status.h"
#include "betr/filesystem.h"
#include "betr/fs_error.h"
#include "fs/path_names.h"

namespace betr::fs {
namespace {

constexpr size_t kReadSize = size_t{256} << 10;

// All formats except mtree, a text about files that lie elsewhere, and the empty one: an empty stream more likely comes
// from a producer that failed than from an archive without entries, which has an end.
constexpr int (*kFormats[])(archive*) = {
    archive_read_support_format_tar,     archive_read_support_format_gnutar, archive_read_support_format_cpio,
    archive_read_support_format_zip,     archive_read_support_format_7zip,   archive_read_support_format_ar,
    archive_read_support_format_cab,     archive_read_support_format_lha,    archive_read_support_format_rar,
    archive_read_support_format_rar5,    archive_read_support_format_xar,    archive_read_support_format_warc,
    archive_read_support_format_iso9660,
};

}  // namespace

absl::Status TarReader::Open(const char* locale) {
  reader_.reset();
  locale_.reset();
  locale_.emplace(locale);
  reader_.reset(archive_read_new());
  if (reader_ == nullptr) return ErrnoError(ENOMEM, "archive");
  archive_read_support_filter_all(reader_.get());
  for (const auto support : kFormats) support(reader_.get());
  if (archive_read_open_fd(reader_.get(), descriptor_, kReadSize) < ARCHIVE_WARN) {
    return ArchiveError(reader_.get(), "archive");
  }
  return absl::OkStatus();
}

absl::StatusOr<archive_entry*> TarReader::Next() {
  archive_entry* entry = nullptr;
  const off_t start = began_ ? 0 : lseek(descriptor_, 0, SEEK_CUR);
  if (!began_) BETR_RETURN_IF_ERROR(Open(kBytesLocale));
  int result = NextHeader(&entry);
  // Formats that know the character set of their names need one that can show them.
  if (!began_ && (result == ARCHIVE_OK || result == ARCHIVE_WARN) && !IsTar() && start >= 0 &&
      lseek(descriptor_, start, SEEK_SET) == start) {
    BETR_RETURN_IF_ERROR(Open(kUtf8Locale));
    result = NextHeader(&entry);
  }
  const bool first = !began_;
  began_ = true;
  if (result == ARCHIVE_EOF) {
    Drain();
    return nullptr;
  }
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
    return Failure(first ? "archive" : absl::StrFormat("the archive, after %s", name_));
  }
  const char* const name = archive_entry_pathname(entry);
  if (name == nullptr) {
    return absl::InvalidArgumentError(absl::StrFormat("the archive, after %s: an entry without a name", name_));
  }
  name_ = name;
  if (result == ARCHIVE_WARN) return ArchiveError(reader_.get(), name_);
  return entry;
}

absl::Status TarReader::Failure(std::string_view what) const {
  char byte = 0;
  // libarchive has no words for a header that is not all there.
  if (archive_error_string(reader_.get()) == nullptr && read(descriptor_, &byte, 1) == 0) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: Truncated archive", what));
  }
  return ArchiveError(reader_.get(), what);
}

int TarReader::NextHeader(archive_entry** entry) {
  const int result = archive_read_next_header(reader_.get(), entry);
  if (result != ARCHIVE_WARN || !IsTar()) return result;
  const char* const text = archive_error_string(reader_.get());
  const bool about_names = text != nullptr && std::string_view(text).find("current locale") != std::string_view::npos;
  return about_names ? ARCHIVE_OK : result;
}

absl::Status TarReader::ReadContent(absl::FunctionRef<absl::Status(uint64_t offset, std::string_view bytes)> visit) {
  for (;;) {
    const void* bytes = nullptr;
    size_t size = 0;
    la_int64_t offset = 0;
    const int result = archive_read_data_block(reader_.get(), &bytes, &size, &offset);
    if (result == ARCHIVE_EOF) return absl::OkStatus();
    if (result != ARCHIVE_OK) return ArchiveError(reader_.get(), "content");
    if (size == 0) continue;
    if (offset < 0) return absl::InvalidArgumentError("content: a negative offset");
    BETR_RETURN_IF_ERROR(visit(static_cast<uint64_t>(offset), {static_cast<const char*>(bytes), size}));
  }
}

void TarReader::Drain() const {
  if (lseek(descriptor_, 0, SEEK_CUR) >= 0) return;
  std::string buffer(kReadSize, '\0');
  ssize_t size = 0;
  do {
    size = read(descriptor_, buffer.data(), buffer.size());
  } while (size > 0 || (size < 0 && errno == EINTR));
}

absl::StatusOr<std::vector<std::string>> SplitArchiveName(std::string_view name) {
  std::vector<std::string> names = Components(name);
  if (std::ranges::find(names, "..") != names.end()) return absl::InvalidArgumentError("the name contains '..'");
  return names;
}

}  // namespace betr::fs
