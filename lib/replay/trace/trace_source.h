// SPDX-License-Identifier: Apache-2.0
// Reads the lines of a trace in the order of their times. A trace is one file, or the many that -ff makes: one for each
// thread, named after it. Times become nanoseconds on one scale, whatever form they have. Times of day may pass
// midnight.
//
// Of several files, only those are open whose threads have begun and not ended. A build has thousands of threads, but
// not all at once. Memory: a line for each file, and a buffer for each open one. Cost of a line: logarithmic in the
// number of files. One thread.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "replay/trace/line_file.h"
#include "replay/trace/trace_line.h"

namespace betr::replay {

// A line and where it comes from.
struct SourceLine {
  std::string text;
  std::string file;
  uint64_t number = 0;                                                  // counted from 1
  absl::StatusOr<TraceLine> parsed = absl::UnknownError("not parsed");  // its time is on the common scale
};

class TraceSource {
 public:
  // Errors: those of LineFile::Open and of Next. Requires: at least one path.
  static absl::StatusOr<std::unique_ptr<TraceSource>> Open(const std::vector<std::string>& paths);

  // Returns the next line; nothing at the end. Errors: those of LineFile::Open and LineFile::Next. kInvalidArgument if
  // there are several files and one of them has no times.
  absl::StatusOr<std::optional<SourceLine>> Next();

  // How much of the files has been read, and their size, for progress.
  Bytes bytes_read() const;
  Bytes size() const;
  bool are_several() const { return are_several_; }

 private:
  using Order = std::pair<std::chrono::nanoseconds, size_t>;  // when the next line takes effect, and of which input

  // One file, with its next line.
  struct Input {
    std::string path;
    std::unique_ptr<LineFile> file;  // null: only its first line is read so far, or it has ended
    Bytes size{0};
    Bytes read{0};  // before it was closed
    bool has_ended = false;
    bool has_times = false;
    std::optional<uint32_t> pid;  // from its name, if there are several
    std::chrono::nanoseconds last{0};
    std::chrono::nanoseconds days{0};
    std::optional<SourceLine> next;
    std::chrono::nanoseconds order{0};  // when the next line takes effect
  };

  absl::Status Add(const std::string& path);
  absl::Status Advance(size_t number);
  absl::Status ReadNext(Input* input);
  absl::Status Reopen(Input* input);
  static void Close(Input* input);
  absl::Status CheckTime(Input* input, const SourceLine& line) const;
  void PlaceInTime(Input* input, SourceLine* line);

  bool are_several_ = false;
  std::vector<Input> inputs_;
  std::priority_queue<Order, std::vector<Order>, std::greater<>> queue_;  // of all that have a next line
};

}  // namespace betr::replay
