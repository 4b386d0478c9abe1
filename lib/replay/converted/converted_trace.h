// SPDX-License-Identifier: Apache-2.0
// A trace with its root, its initial state and its operations, in either of its forms. Nothing in it is trusted: what
// does not make sense together (operation_follower.h) is refused. One thread.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "base/units.h"
#include "replay/interpret/interpreter.h"
#include "replay/interpret/manifest.h"
#include "replay/interpret/trace_outcome.h"

namespace betr::replay {

class ConvertedTrace {
 public:
  // Reads what comes before the operations. Errors: those of TraceReader and TraceTextReader. Requires: FormOf(path) is
  // not kStrace.
  static absl::StatusOr<std::unique_ptr<ConvertedTrace>> Open(const std::string& path);
  virtual ~ConvertedTrace() = default;

  virtual const std::string& root() const = 0;
  virtual const Manifest& initial() const = 0;

  // Hands all operations to the sink, and performs them in the name space, which must have the initial state of this
  // trace. Calls `progress` now and then with the line of the trace. Errors: kDataLoss, kInvalidArgument, kUnavailable.
  // Call it once.
  virtual absl::StatusOr<TraceOutcome> Read(NameSpace* space, OperationSink* sink,
                                            absl::FunctionRef<void(uint64_t)> progress) = 0;

  // How much of the file has been read, and its whole size; 0 if unknown.
  virtual Bytes bytes_read() const = 0;
  virtual Bytes size() const = 0;
};

}  // namespace betr::replay
