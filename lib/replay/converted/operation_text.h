// SPDX-License-Identifier: Apache-2.0
// Operations and process events as lines of text: the records of the text form of a converted trace. docs/replay.md has
// the fields; they are those of operation_codec.h, with all numbers as they are.
//
//   create thread=100 line=12 node=6 parent=2 name=a file=1 flags=0x241 mode=0644 # /w/a
//   write thread=100 line=13 node=6 file=1 length=100 count=100 position
//
// Pure.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "replay/converted/operation_codec.h"

namespace betr::replay {

// Formats a record as a line, without its newline and without a comment.
std::string FormatRecord(const Operation& operation);
std::string FormatRecord(const ProcessEvent& event);
// Parses a record. kInvalidArgument if it is wrong; the message says what. As with OperationDecoder, each field is
// within its range, but nothing more is checked.
absl::StatusOr<TraceRecord> ParseRecord(std::string_view line);

}  // namespace betr::replay
