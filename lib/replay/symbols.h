// SPDX-License-Identifier: Apache-2.0
// The names that strace prints for numbers: flags, modes, commands, errors. Values are those of Linux on x86-64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace betr::replay {

// The number behind a name such as O_CREAT or S_IFREG; nothing for a name that replay does not need.
std::optional<uint64_t> SymbolValue(std::string_view name);

// The errno behind its name; nothing for a name that is none, such as ERESTARTSYS.
std::optional<int> ErrnoValue(std::string_view name);

// "ENOENT"; "0" for 0, and the number for what has no name.
std::string ErrnoName(int error);

}  // namespace betr::replay
