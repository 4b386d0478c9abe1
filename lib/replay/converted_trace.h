// SPDX-License-Identifier: Apache-2.0
// A trace with its root, its initial state and its operations, in either of its forms. Nothing in it is trusted: what
// does not make sense together (operation_follower.h) is refused. One thread.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "base/units.h"
#include "replay/interpreter.h"
#include "replay/manifest.h"
#include "replay/trace_outcome.h"

namespace betr::replay {

class ConvertedTrace {
 public:
  // Reads what comes before the operations. Errors: those of TraceReader and TraceTextReader. Requires: FormOf(path) is
  // not kStrace.
  static absl::StatusOr<std::unique_ptr<ConvertedTrace>> Open(const std::string& path);
  virtual ~ConvertedTrace() = default;

  virtual const std::string& root() const = 0;
  virtual const Manifest& initial() const = 0;

  // Hands all operations to the sink, and does them in the name space, which has the initial state of this trace.
  // `progress` is called now and then with the line of the trace. kDataLoss, kInvalidArgument, kUnavailable. Once.
  virtual absl::StatusOr<TraceOutcome> Read(NameSpace* space, OperationSink* sink,
                                            absl::FunctionRef<void(uint64_t)> progress) = 0;

  // Of the file so far, and all of it; 0 if unknown.
  virtual Bytes bytes_read() const = 0;
  virtual Bytes size() const = 0;
};

}  // namespace betr::replay
