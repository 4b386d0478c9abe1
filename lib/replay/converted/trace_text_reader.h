// SPDX-License-Identifier: Apache-2.0
// Reads the text form of a converted trace (trace_text.h). Errors name file and line. Memory: a line, and the lists of
// what is there at the beginning and at the end. One thread.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>

#include "replay/converted/converted_trace.h"
#include "replay/converted/operation_follower.h"
#include "replay/trace/line_file.h"

namespace betr::replay {

class TraceTextReader final : public ConvertedTrace {
 public:
  // Reads what comes before the operations. The file is plain or compressed by zstd. Errors: those of LineFile;
  // kUnimplemented; kDataLoss for a file that was cut; kInvalidArgument.
  static absl::StatusOr<std::unique_ptr<ConvertedTrace>> Open(const std::string& path);

  const std::string& root() const override { return root_; }
  const Manifest& initial() const override { return initial_; }
  absl::StatusOr<TraceOutcome> Read(NameSpace* space, OperationSink* sink,
                                    absl::FunctionRef<void(uint64_t)> progress) override;
  Bytes bytes_read() const override { return file_->bytes_read(); }
  Bytes size() const override { return file_->size(); }

 private:
  explicit TraceTextReader(std::unique_ptr<LineFile> file) : file_(std::move(file)) {}

  // Makes the next line that is not ignored current.
  absl::Status Next();
  absl::Status ReadBeginning();
  absl::Status CheckVersion();
  absl::Status Handle(OperationFollower* follower, OperationSink* sink, TraceOutcome* outcome);
  absl::Status HandleRecord(OperationFollower* follower, OperationSink* sink);
  absl::Status AddEntry(Manifest* manifest) const;
  absl::Status Annotated(const absl::Status& status) const;

  const std::unique_ptr<LineFile> file_;
  std::string line_;
  std::string_view word_;   // of the current line
  std::string_view value_;  // behind it
  std::string root_;
  Manifest initial_;
  uint64_t traced_line_ = 0;  // of the last operation
};

}  // namespace betr::replay
