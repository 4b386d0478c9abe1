// SPDX-License-Identifier: Apache-2.0
#include "fs/tar_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "betr/fs_error.h"
#include "fs/tar_acl.h"

namespace betr::fs {
namespace {

// What tar pads archives to, and how much is written at once.
constexpr size_t kRecordSize = 10240;
constexpr size_t kSizeAtOnce = 64 * kRecordSize;

// Fields of a header.
constexpr size_t kHeaderSize = 512;
constexpr size_t kModeAt = 100;
constexpr size_t kModeDigits = 6;
constexpr size_t kSumAt = 148;
constexpr size_t kSumDigits = 6;
constexpr size_t kSumSize = 8;

// Of `count` digits.
std::string Octal(uint32_t number, size_t count) {
  std::string digits(count, '0');
  for (size_t i = count; i > 0; --i, number >>= 3) digits[i - 1] = static_cast<char>('0' + (number & 7U));
  return digits;
}

void SetMode(char* header, uint32_t mode) {
  Octal(mode, kModeDigits).copy(header + kModeAt, kModeDigits);
  std::fill_n(header + kSumAt, kSumSize, ' ');
  const uint32_t sum = std::accumulate(header, header + kHeaderSize, uint32_t{0},
                                       [](uint32_t before, char c) { return before + static_cast<unsigned char>(c); });
  Octal(sum, kSumDigits).copy(header + kSumAt, kSumDigits);
  header[kSumAt + kSumDigits] = '\0';
}

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

absl::Status TarWriter::Header(archive_entry* entry) {
  const int result = archive_write_header(handle_, entry);
  // Names that are no UTF-8 are written as they are, and marked so.
  const char* const text = archive_error_string(handle_);
  const bool about_names = text != nullptr && std::string_view(text).find("Can't translate") != std::string_view::npos;
  absl::Status status = Result(result == ARCHIVE_OK || (result == ARCHIVE_WARN && about_names));
  // Who unpacks without lists shall not give the group what the mask takes from it.
  const uint32_t permissions = PermissionsOf(entry);
  std::string& waiting = sink_.waiting;
  if (status.ok() && permissions != archive_entry_perm(entry)) {
    SetMode(waiting.data() + waiting.size() - kHeaderSize, permissions);
  }
  return status;
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
  const size_t spare = to.waiting.size() - std::min(to.waiting.size(), kHeaderSize);
  Write(&to, spare / kSizeAtOnce * kSizeAtOnce);
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
