// SPDX-License-Identifier: Apache-2.0
#include "fs/tar_writer.h"

#include <unistd.h>

#include <cerrno>

#include "betr/fs_error.h"

namespace betr::fs {
namespace {

// What tar pads archives to, and how much is written at once.
constexpr int kRecordSize = 10240;
constexpr int kRecordsAtOnce = 64;

}  // namespace

TarWriter::~TarWriter() {
  sink_.abandoned = true;
  archive_write_free(handle_);
}

absl::Status TarWriter::Open() {
  if (handle_ == nullptr) return ErrnoError(ENOMEM, "archive");
  return Result(archive_write_set_format_pax(handle_) == ARCHIVE_OK &&
                archive_write_add_filter_none(handle_) == ARCHIVE_OK &&
                archive_write_set_bytes_per_block(handle_, kRecordSize * kRecordsAtOnce) == ARCHIVE_OK &&
                archive_write_set_bytes_in_last_block(handle_, kRecordSize) == ARCHIVE_OK &&
                archive_write_open(handle_, &sink_, nullptr, Write, nullptr) == ARCHIVE_OK);
}

absl::Status TarWriter::Header(archive_entry* entry) {
  const int result = archive_write_header(handle_, entry);
  // Names that are no UTF-8 are written as they are, and marked so.
  const char* const text = archive_error_string(handle_);
  const bool about_names = text != nullptr && std::string_view(text).find("Can't translate") != std::string_view::npos;
  return Result(result == ARCHIVE_OK || (result == ARCHIVE_WARN && about_names));
}

absl::Status TarWriter::Content(std::string_view bytes) {
  while (!bytes.empty()) {
    const la_ssize_t written = archive_write_data(handle_, bytes.data(), bytes.size());
    if (absl::Status result = Result(written >= 0); !result.ok()) return result;
    if (written == 0) return absl::InternalError("archive: content behind the end");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status TarWriter::FinishEntry() { return Result(archive_write_finish_entry(handle_) == ARCHIVE_OK); }

absl::Status TarWriter::Close() { return Result(archive_write_close(handle_) == ARCHIVE_OK); }

la_ssize_t TarWriter::Write(archive*, void* sink, const void* bytes, size_t size) {
  Sink& to = *static_cast<Sink*>(sink);
  for (size_t done = 0; done < size && to.error == 0 && !to.abandoned;) {
    const ssize_t written = write(to.descriptor, static_cast<const char*>(bytes) + done, size - done);
    if (written >= 0) {
      done += static_cast<size_t>(written);
    } else if (errno != EINTR) {
      to.error = errno;
    }
  }
  return static_cast<la_ssize_t>(size);
}

absl::Status TarWriter::Result(bool ok) {
  if (sink_.error != 0) return ErrnoError(sink_.error, "archive");
  return ok ? absl::OkStatus() : ArchiveError(handle_, "archive");
}

}  // namespace betr::fs
