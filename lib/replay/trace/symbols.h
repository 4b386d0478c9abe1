// SPDX-License-Identifier: Apache-2.0
// The names that strace prints for numbers: flags, modes, commands, errors. Values are those of Linux on x86-64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace betr::replay {

// Returns the number for a name such as O_CREAT or S_IFREG; nothing for a name that replay does not need.
std::optional<uint64_t> SymbolValue(std::string_view name);

// Returns the errno for its name; nothing for what is not the name of one, such as ERESTARTSYS.
std::optional<int> ErrnoValue(std::string_view name);

// Returns "ENOENT" and the like; "0" for 0, and the number for an errno without a name.
std::string ErrnoName(int error);

}  // namespace betr::replay
