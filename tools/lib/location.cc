// SPDX-License-Identifier: Apache-2.0
#include "location.h"

#include <absl/strings/str_join.h>

#include "fs/path_names.h"

namespace betr::tools {

Location ParseLocation(std::string_view operand) {
  if (operand.starts_with(':')) return {.is_inside = true, .image = "", .path = std::string(operand.substr(1))};
  const size_t colon = operand.find(":/");
  if (colon == std::string_view::npos) return {.is_inside = false, .image = "", .path = std::string(operand)};
  return {.is_inside = true,
          .image = std::string(operand.substr(0, colon)),
          .path = std::string(operand.substr(colon + 1))};
}

Location ParseInside(std::string_view operand) {
  Location location = ParseLocation(operand);
  location.is_bare = !location.is_inside;
  location.is_inside = true;
  return location;
}

std::vector<Location> ParseAllInside(const std::vector<std::string>& operands) {
  std::vector<Location> locations;
  locations.reserve(operands.size());
  for (const std::string& operand : operands) locations.push_back(ParseInside(operand));
  return locations;
}

std::string CopyName(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name == "." || name == ".." ? "" : std::string(name);
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (name.empty()) return path;
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path.append(name);
}

std::string NormalPath(std::string_view path) { return absl::StrJoin(fs::NormalNames(path), "/"); }

bool MeansDirectory(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return last == "." || (last.empty() && !path.empty());
}

bool EndsInDots(std::string_view path) {
  path = path.substr(0, path.find_last_not_of('/') + 1);
  const std::string_view last = path.substr(path.rfind('/') + 1);
  return last == "." || last == "..";
}

bool IsWithin(std::string_view path, std::string_view directory) {
  const std::string inner = NormalPath(path);
  const std::string outer = NormalPath(directory);
  return outer.empty() || inner == outer || inner.starts_with(outer + "/");
}

}  // namespace betr::tools
