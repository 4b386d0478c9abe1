// SPDX-License-Identifier: Apache-2.0
// The forms that a trace has: lines of strace, and those of a converted trace, which are a compact one
// (trace_file_format.h) and text (trace_text.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace betr::replay {

enum class TraceForm : uint8_t { kStrace, kCompact, kText };

// Of a trace that begins with these bytes.
TraceForm FormOfBeginning(std::string_view bytes);
// kStrace for what cannot be read, and for what is no file: that could be read only once.
TraceForm FormOf(const std::string& path);

}  // namespace betr::replay
