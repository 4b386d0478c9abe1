// SPDX-License-Identifier: Apache-2.0
// Writes the compact form of a converted trace (trace_file_format.h): a sink that writes what it is handed. Memory: one
// block. One thread.
#pragma once

#include <absl/status/status.h>

#include <ostream>
#include <string>
#include <string_view>

#include "replay/converted/operation_codec.h"
#include "replay/interpret/interpreter.h"
#include "replay/interpret/manifest.h"
#include "replay/interpret/trace_outcome.h"
#include "replay/trace/trace_file_format.h"

namespace betr::replay {

class TraceWriter final : public OperationSink {
 public:
  // `out` must outlive this. `initial` must be in order.
  TraceWriter(std::ostream* out, std::string_view root, const Manifest& initial);

  void Perform(const Operation& operation) override;
  void Follow(const ProcessEvent& event) override;
  // Ends the file, after the last operation. kInvalidArgument for an operation that does not fit, with its line.
  // kUnavailable if writing failed.
  absl::Status Finish(const TraceOutcome& outcome);

 private:
  void AddLine(BlockKind kind, std::string_view line);
  void AddLines(BlockKind kind, const Manifest& manifest);
  // Returns the block that takes one more item of this kind.
  std::string* Begin(BlockKind kind);
  void Flush();

  std::ostream& out_;
  absl::Status status_;
  OperationEncoder encoder_;
  uint64_t blocks_ = 0;
  BlockKind kind_ = BlockKind::kRoot;
  std::string raw_;
  uint32_t items_ = 0;
};

}  // namespace betr::replay
