// SPDX-License-Identifier: Apache-2.0
// What reading and writing archives have in common: libarchive's handles, its errors, the character set of names.
#pragma once

#include <absl/status/status.h>
#include <archive.h>
#include <archive_entry.h>

#include <clocale>
#include <memory>
#include <string_view>

namespace betr::fs {

// libarchive translates names from and to the character set of the thread's locale, as it is when an archive is first
// used. Names are bytes for us: this picks the locale under which they come through unchanged, while it lives.
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

// The names of pax archives are UTF-8. A reader that can show ASCII only leaves others alone (and warns); one that
// knows UTF-8 normalises them.
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

// The last error of `handle`. Errors of the system keep their errno; what is wrong with an archive is kInvalidArgument.
absl::Status ArchiveError(archive* handle, std::string_view what);

}  // namespace betr::fs
