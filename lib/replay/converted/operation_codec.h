// SPDX-License-Identifier: Apache-2.0
// Operations and process events as bytes: the records of a converted trace. docs/replay.md has them byte by byte.
//
// A record is its kind, the set of the fields that it has, and these fields. A field with its usual value is left out.
// Thread, line, time, nodes and files are relative to the record before. So encoder and decoder have a state, which
// begins anew with each block of a file. A record has only one form: the decoder refuses any other.
//
// The decoder checks that each field is within its range. OperationFollower checks whether operations make sense
// together. One thread.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <string>
#include <variant>

#include "base/decoder.h"
#include "replay/interpret/operation.h"
#include "replay/trace/process_event.h"

namespace betr::replay {

using TraceRecord = std::variant<Operation, ProcessEvent>;

// The longest name, symlink target, and value that a record may have.
inline constexpr uint64_t kMostText = 16384;
inline constexpr uint64_t kMostValue = 65536;

// What records are relative to.
struct RecordContext {
  ThreadNumber thread = 0;
  uint64_t line = 0;
  std::chrono::nanoseconds time{0};
  NodeNumber node{};
  NodeNumber parent{};
  FileNumber file{};
};

// Whether the texts of an operation are within the limits. Those that a kernel has accepted are.
bool Fits(const Operation& operation);

class OperationEncoder {
 public:
  // Requires: Fits(operation).
  void Add(const Operation& operation, std::string* out);
  void Add(const ProcessEvent& event, std::string* out);

 private:
  RecordContext before_;
};

class OperationDecoder {
 public:
  // Returns the next record. If the record is wrong, the decoder has failed afterwards. Requires: something remains.
  TraceRecord Next(Decoder* in);

 private:
  Operation GetOperation(uint8_t kind, Decoder* in);
  ProcessEvent GetEvent(uint8_t kind, Decoder* in);

  RecordContext before_;
};

}  // namespace betr::replay
