// SPDX-License-Identifier: Apache-2.0
// TarWriter writes the entries of an archive (pax), one after the other.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "fs/tar/tar_archive.h"

namespace betr::fs {

// Without Close an archive has no end, and so does not look whole. Errors are those of the system calls and of
// libarchive. After an error nothing more is written.
class TarWriter {
 public:
  // Writes to where `descriptor` stands.
  explicit TarWriter(int descriptor)
      : locale_(kUtf8Locale), sink_{.descriptor = descriptor, .waiting = {}}, handle_(archive_write_new()) {}
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  // To be called first.
  absl::Status Open();
  // Begins an entry, whose content follows. Returns the names of extended attributes for which there is no room.
  absl::StatusOr<std::vector<std::string>> Header(archive_entry* entry);
  absl::Status Content(std::string_view bytes);
  absl::Status FinishEntry();
  // Writes the end. To be called last.
  absl::Status Close();

 private:
  // When libarchive is told that writing has failed, it does not free what it has. So it is never told.
  struct Sink {
    int descriptor;
    std::string waiting;     // what was written last
    bool holding = false;    // all of it waits
    int error = 0;           // of the first write that failed
    bool abandoned = false;  // takes bytes and drops them
  };

  static la_ssize_t Take(archive* handle, void* sink, const void* bytes, size_t size);
  // Writes the first bytes of what waits.
  static void Write(Sink* to, size_t size);
  // Returns the error of the sink, or, unless `ok`, what libarchive says.
  absl::Status Result(bool ok);

  ThreadLocale locale_;
  Sink sink_;
  archive* handle_;
};

}  // namespace betr::fs
