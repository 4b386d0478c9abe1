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
  bool is_bare = false;  // inside, but without a colon: an image that other operands name goes before that of -i
};

// Parses an operand. ":/path" (also ":path") is inside the image of -i, "IMAGE:/path" inside IMAGE; anything else is on
// the host. Only the form counts. So a host path that contains ":/" cannot be given.
Location ParseLocation(std::string_view operand);

// Parses an operand that can only be inside. If it does not have the form of a path inside, it is a path from the root,
// and bare.
Location ParseInside(std::string_view operand);
std::vector<Location> ParseAllInside(const std::vector<std::string>& operands);

// Returns the name that a copy of `path` gets in a directory: its last component. Empty for a root, "." and "..", since
// their content is meant rather than themselves.
std::string CopyName(std::string_view path);

// Returns `directory`/`name`, or `directory` if there is no name.
std::string JoinPath(std::string_view directory, std::string_view name);

// Returns the path without "", "." and "..": "a/b" for "/a/./c/../b". ".." above the root is the root.
std::string NormalPath(std::string_view path);

// Whether the path can only be that of a directory: it ends in a slash or in the name ".". People mean it so, although
// the library does not demand it (betr/path_filesystem.h).
bool MeansDirectory(std::string_view path);

// Whether the last name is "." or "..", with or without slashes behind it.
bool EndsInDots(std::string_view path);

// Whether `path` is `directory` or below it. Both must be inside the same image.
bool IsWithin(std::string_view path, std::string_view directory);

}  // namespace betr::tools
