// SPDX-License-Identifier: Apache-2.0
// The format of a converted trace as text. It has the same content as the compact form, for people to read and to
// change. Writing either form from the other gives the same bytes again. docs/replay.md has the lines.
//
// A first line has the version. After it, each line is a word that says what it is, a blank and a value. The words are
// `root`, `initial`, those of the records (operation_text.h), `final`, `unknown_mode`, and the names of the outcome
// (trace_outcome.h). The last line is `end`, so a file that was cut is recognised. Empty lines, and those that begin
// with `#`, are ignored.
#pragma once

#include <string_view>

namespace betr::replay {

inline constexpr std::string_view kTextMagic = "betr trace ";
inline constexpr std::string_view kTextVersion = "1";

inline constexpr std::string_view kRootWord = "root";
inline constexpr std::string_view kInitialWord = "initial";
inline constexpr std::string_view kFinalWord = "final";
inline constexpr std::string_view kUnknownModeWord = "unknown_mode";
inline constexpr std::string_view kEndWord = "end";

}  // namespace betr::replay
