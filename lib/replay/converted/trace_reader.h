// SPDX-License-Identifier: Apache-2.0
// Reads the compact form of a converted trace (trace_file_format.h). Trusts nothing in it: checks sizes, checksums and
// fields, and whether the operations make sense together (operation_follower.h). Errors name the file, the block with
// its place, and the record. Memory: one block. One thread.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "replay/converted/converted_trace.h"
#include "replay/converted/operation_follower.h"
#include "replay/trace/trace_file_format.h"

namespace betr::replay {

class TraceReader final : public ConvertedTrace {
 public:
  // Reads what comes before the operations. Errors: kNotFound, kUnavailable, kUnimplemented, kDataLoss.
  static absl::StatusOr<std::unique_ptr<TraceReader>> Open(const std::string& path);
  // The same from a stream; `name` is for messages.
  static absl::StatusOr<std::unique_ptr<TraceReader>> Open(std::unique_ptr<std::istream> in, std::string name);

  const std::string& root() const override { return root_; }
  const Manifest& initial() const override { return initial_; }
  absl::StatusOr<TraceOutcome> Read(NameSpace* space, OperationSink* sink,
                                    absl::FunctionRef<void(uint64_t)> progress) override;
  Bytes bytes_read() const override { return Bytes{position_}; }
  Bytes size() const override { return size_; }

 private:
  struct Block {
    BlockHeader header;
    std::string raw;
  };

  TraceReader(std::unique_ptr<std::istream> in, std::string name) : in_(std::move(in)), name_(std::move(name)) {}

  absl::Status ReadBeginning();
  // Makes the next block current_. Kinds must not go back.
  absl::Status Next();
  absl::StatusOr<std::string> Take(size_t size);
  absl::Status AddEntries(Manifest* manifest) const;
  absl::Status AddPaths(std::set<std::string>* paths) const;
  absl::Status ReadRecords(OperationFollower* follower, OperationSink* sink);
  absl::Status Annotated(const absl::Status& status) const;

  const std::unique_ptr<std::istream> in_;
  const std::string name_;
  Bytes size_{0};
  uint64_t position_ = 0;  // in the file
  uint64_t blocks_ = 0;    // read so far
  uint64_t begin_ = 0;     // of the current block
  Block current_;
  std::string root_;
  Manifest initial_;
  uint64_t line_ = 0;  // of the last operation
};

}  // namespace betr::replay
