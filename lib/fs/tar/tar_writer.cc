// SPDX-License-Identifier: Apache-2.0
#include "fs/tar/tar_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/status.h"
#include "betr/fs_error.h"
#include "fs/tar/tar_acl.h"
#include "fs/tar/tar_headers.h"

namespace betr::fs {
namespace {

// What tar pads archives to, and how much is written at once.
constexpr size_t kRecordSize = 10240;
constexpr size_t kSizeAtOnce = 64 * kRecordSize;

}  // namespace

TarWriter::~TarWriter() {
  sink_.abandoned = true;
  archive_write_free(handle_);
}

absl::Status TarWriter::Open() {
  if (handle_ == nullptr) return ErrnoError(ENOMEM, "archive");
  return Result(archive_write_set_format_pax(handle_) == ARCHIVE_OK &&
                archive_write_add_filter_none(handle_) == ARCHIVE_OK &&
                archive_write_set_bytes_per_block(handle_, 0) == ARCHIVE_OK &&
                archive_write_open(handle_, &sink_, nullptr, Take, nullptr) == ARCHIVE_OK);
}

absl::StatusOr<std::vector<std::string>> TarWriter::Header(archive_entry* entry) {
  std::string& waiting = sink_.waiting;
  const size_t begin = waiting.size();
  sink_.holding = true;
  const int result = archive_write_header(handle_, entry);
  sink_.holding = false;
  // Names that are no UTF-8 are written as they are, and marked so.
  const char* const text = archive_error_string(handle_);
  const bool about_names = text != nullptr && std::string_view(text).find("Can't translate") != std::string_view::npos;
  BETR_RETURN_IF_ERROR(Result(result == ARCHIVE_OK || (result == ARCHIVE_WARN && about_names)));
  auto [headers, left_out] = MendHeaders(waiting.substr(begin), archive_entry_pathname(entry));
  // Unpacking without lists must not give the group what the mask takes from it.
  const uint32_t permissions = PermissionsOf(entry);
  if (permissions != archive_entry_perm(entry)) headers = WithMode(std::move(headers), permissions);
  waiting.replace(begin, std::string::npos, headers);
  return std::move(left_out);
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

absl::Status TarWriter::Close() {
  if (absl::Status ended = Result(archive_write_close(handle_) == ARCHIVE_OK); !ended.ok()) return ended;
  sink_.waiting.resize((sink_.waiting.size() + kRecordSize - 1) / kRecordSize * kRecordSize);
  Write(&sink_, sink_.waiting.size());
  return Result(true);
}

la_ssize_t TarWriter::Take(archive*, void* sink, const void* bytes, size_t size) {
  Sink& to = *static_cast<Sink*>(sink);
  if (to.error != 0 || to.abandoned) return static_cast<la_ssize_t>(size);
  to.waiting.append(static_cast<const char*>(bytes), size);
  if (!to.holding) Write(&to, to.waiting.size() / kSizeAtOnce * kSizeAtOnce);
  return static_cast<la_ssize_t>(size);
}

void TarWriter::Write(Sink* to, size_t size) {
  for (size_t done = 0; done < size && to->error == 0;) {
    const ssize_t written = write(to->descriptor, to->waiting.data() + done, std::min(size - done, kSizeAtOnce));
    if (written >= 0) {
      done += static_cast<size_t>(written);
    } else if (errno != EINTR) {
      to->error = errno;
    }
  }
  to->waiting.erase(0, size);
}

absl::Status TarWriter::Result(bool ok) {
  if (sink_.error != 0) return ErrnoError(sink_.error, "archive");
  return ok ? absl::OkStatus() : ArchiveError(handle_, "archive");
}

}  // namespace betr::fs
