// SPDX-License-Identifier: Apache-2.0
#include "fs/tar/tar_archive.h"

#include <absl/strings/str_format.h>

#include <cerrno>
#include <string>

#include "betr/fs_error.h"

namespace betr::fs {
namespace {

constexpr uint32_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace

ThreadLocale::ThreadLocale(const char* name)
    : locale_(newlocale(LC_CTYPE_MASK, name, locale_t{})),
      previous_(uselocale(locale_)) {}  // a locale that is missing changes nothing

ThreadLocale::~ThreadLocale() {
  uselocale(previous_);
  if (locale_ != locale_t{}) freelocale(locale_);
}

FileTime FromPax(const EntryTime& time) {
  const auto nanoseconds = static_cast<uint32_t>(time.nanoseconds);
  if (time.seconds >= 0 || nanoseconds == 0) return {time.seconds, nanoseconds};
  return {time.seconds - 1, kNanosecondsPerSecond - nanoseconds};
}

EntryTime ToPax(const FileTime& time) {
  if (time.seconds >= 0 || time.nanoseconds == 0) return {time.seconds, static_cast<long>(time.nanoseconds)};
  if (time.seconds == -1) return {-1, 0};
  return {time.seconds + 1, static_cast<long>(kNanosecondsPerSecond - time.nanoseconds)};
}

absl::Status ArchiveError(archive* handle, std::string_view what) {
  const char* const text = archive_error_string(handle);
  const std::string message = absl::StrFormat("%s: %s", what, text == nullptr ? "unknown error" : text);
  const int error = archive_errno(handle);
  if (error <= 0 || error == EILSEQ) return absl::InvalidArgumentError(message);
  return ErrnoError(error, message);
}

}  // namespace betr::fs
