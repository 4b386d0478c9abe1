// SPDX-License-Identifier: Apache-2.0
// What reading and writing archives have in common: libarchive's handles, its errors, the character set of names.
#pragma once

#include <absl/status/status.h>
#include <archive.h>
#include <archive_entry.h>

#include <clocale>
#include <memory>
#include <string_view>

#include "betr/file_attributes.h"

namespace betr::fs {

// libarchive translates names from and to the character set of the thread's locale, as it is when an archive is first
// used. For us names are bytes. A ThreadLocale sets, while it lives, a locale under which they come through unchanged.
class ThreadLocale {
 public:
  explicit ThreadLocale(const char* name);
  ~ThreadLocale();
  ThreadLocale(const ThreadLocale&) = delete;
  ThreadLocale& operator=(const ThreadLocale&) = delete;

 private:
  locale_t locale_;
  locale_t previous_;
};

// The names of pax archives are UTF-8. A reader whose locale knows only ASCII leaves other names alone, and warns. One
// whose locale knows UTF-8 normalises them.
inline constexpr char kBytesLocale[] = "C";
inline constexpr char kUtf8Locale[] = "C.UTF-8";

struct FreeReader {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using ReaderHandle = std::unique_ptr<archive, FreeReader>;
using EntryHandle = std::unique_ptr<archive_entry, FreeEntry>;

// A time of an entry, as libarchive has it.
struct EntryTime {
  la_int64_t seconds;
  long nanoseconds;
};

// Translate times from and to libarchive's form. It reads and writes the decimal numbers of pax digit by digit: for it
// -4.75 is -4 and 750000000, not -5 and 250000000. In this form a time less than a second before 1970 has no sign. It
// is read as if it were as long after 1970, and written as one second before 1970.
FileTime FromPax(const EntryTime& time);
EntryTime ToPax(const FileTime& time);

// The last error of `handle`. Errors of the system keep their errno; what is wrong with an archive is kInvalidArgument.
absl::Status ArchiveError(archive* handle, std::string_view what);

}  // namespace betr::fs
