// SPDX-License-Identifier: Apache-2.0
// An operand of betrcp: a file on the host, or a path inside an image.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace betr::tools {

struct Location {
  bool is_inside = false;
  std::string image;  // empty: the one of -i
  std::string path;
  bool is_bare = false;  // inside, but without a colon: rather in the image that other operands name than in that of -i
};

// ":/path" (":path" too) is inside the image of -i, "IMAGE:/path" inside that one; anything else is on the host.
// Purely by its form: a host path that contains ":/" cannot be said.
Location ParseLocation(std::string_view operand);

// An operand that can only be inside: what is no Location inside is a path from the root, and bare.
Location ParseInside(std::string_view operand);
std::vector<Location> ParseAllInside(const std::vector<std::string>& operands);

// The name that a copy of `path` gets in a directory: its last component. Empty for a root, "." and "..", whose
// content is meant rather than themselves.
std::string CopyName(std::string_view path);

// `directory`/`name`; `directory` if there is no name.
std::string JoinPath(std::string_view directory, std::string_view name);

// The path without "", "." and "..": "a/b" for "/a/./c/../b". ".." above the root is the root.
std::string NormalPath(std::string_view path);

// Whether the path can only be that of a directory: it ends in a slash, or in the name ".". The library does not demand
// it (betr/path_filesystem.h), but people mean it.
bool MeansDirectory(std::string_view path);

// Whether the last name is "." or "..", with slashes behind it or without.
bool EndsInDots(std::string_view path);

// Whether `path` is `directory` or below it. Both inside the same image.
bool IsWithin(std::string_view path, std::string_view directory);

}  // namespace betr::tools
