// SPDX-License-Identifier: Apache-2.0
// The forms of a trace: lines of strace, and the two of a converted trace, which are compact (trace_file_format.h) and
// text (trace_text.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace betr::replay {

enum class TraceForm : uint8_t { kStrace, kCompact, kText };

// Returns the form of a trace that begins with these bytes.
TraceForm FormOfBeginning(std::string_view bytes);
// Returns the form of the trace at `path`. kStrace for what cannot be read, and for what is not a file, since that
// could be read only once.
TraceForm FormOf(const std::string& path);

}  // namespace betr::replay
