// SPDX-License-Identifier: Apache-2.0
#include "fs/tar_archive.h"

#include <absl/strings/str_format.h>

#include <cerrno>
#include <string>

#include "betr/fs_error.h"

namespace betr::fs {

ThreadLocale::ThreadLocale(const char* name)
    : locale_(newlocale(LC_CTYPE_MASK, name, locale_t{})),
      previous_(uselocale(locale_)) {}  // a locale that is missing changes nothing

ThreadLocale::~ThreadLocale() {
  uselocale(previous_);
  if (locale_ != locale_t{}) freelocale(locale_);
}

absl::Status ArchiveError(archive* handle, std::string_view what) {
  const char* const text = archive_error_string(handle);
  const std::string message = absl::StrFormat("%s: %s", what, text == nullptr ? "unknown error" : text);
  const int error = archive_errno(handle);
  if (error <= 0 || error == EILSEQ) return absl::InvalidArgumentError(message);
  return ErrnoError(error, message);
}

}  // namespace betr::fs
