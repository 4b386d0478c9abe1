// SPDX-License-Identifier: Apache-2.0
#include "fs/path_names.h"

#include <absl/strings/str_split.h>

namespace betr::fs {

std::vector<std::string> Components(std::string_view path) {
  return absl::StrSplit(std::string(path), '/', [](absl::string_view name) { return !name.empty() && name != "."; });
}

std::vector<std::string> NormalNames(std::string_view path) {
  std::vector<std::string> names;
  for (std::string& name : Components(path)) {
    if (name != "..") {
      names.push_back(std::move(name));
    } else if (!names.empty()) {
      names.pop_back();
    }
  }
  return names;
}

std::pair<std::string, std::string> SplitLast(std::string_view path) {
  path = path.substr(0, path.find_last_not_of('/') + 1);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {"", std::string(path)};
  return {std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

}  // namespace betr::fs
