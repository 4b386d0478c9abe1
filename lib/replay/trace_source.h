// SPDX-License-Identifier: Apache-2.0
// The lines of a trace in the order of their times: of one file, or of the many that -ff makes, one for each thread and
// named after it. Times become nanoseconds on one scale, whatever form they have; midnight is passed in order.
// Memory: a line for each file. One thread.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/line_file.h"
#include "replay/trace_line.h"

namespace betr::replay {

// A line with where it comes from.
struct SourceLine {
  std::string text;
  std::string file;
  uint64_t number = 0;                                                  // counted from 1
  absl::StatusOr<TraceLine> parsed = absl::UnknownError("not parsed");  // its time is on the common scale
};

class TraceSource {
 public:
  // Errors: those of LineFile::Open. Requires: at least one path.
  static absl::StatusOr<std::unique_ptr<TraceSource>> Open(const std::vector<std::string>& paths);

  // Nothing at the end. Errors: those of LineFile::Next.
  absl::StatusOr<std::optional<SourceLine>> Next();

  // How much of the files has been read, and how much they have; for progress.
  Bytes bytes_read() const;
  Bytes size() const;

 private:
  // One file, with its next line.
  struct Input {
    std::unique_ptr<LineFile> file;
    std::optional<uint32_t> pid;  // from its name, if there are several
    std::chrono::nanoseconds last{0};
    std::chrono::nanoseconds days{0};
    std::optional<SourceLine> next;
    std::chrono::nanoseconds order{0};  // when the next line takes effect
  };

  absl::Status Advance(Input* input);
  void PlaceInTime(Input* input, SourceLine* line);

  std::vector<Input> inputs_;
};

}  // namespace betr::replay
