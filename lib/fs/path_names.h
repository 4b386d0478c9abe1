// SPDX-License-Identifier: Apache-2.0
// The names that a path is made of. What a name may be is up to the callers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace betr::fs {

// Returns the names between slashes, without empty ones and ".".
std::vector<std::string> Components(std::string_view path);

// The same without "..": as symlinks are not followed, it takes back the name before it. Above the root is the root.
std::vector<std::string> NormalNames(std::string_view path);

// Returns the last name, which has no slashes behind it then, and what is before its slash.
std::pair<std::string, std::string> SplitLast(std::string_view path);

}  // namespace betr::fs
