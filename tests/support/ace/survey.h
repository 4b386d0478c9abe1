// SPDX-License-Identifier: Apache-2.0
// All that can be seen in a mounted file system, and how it differs from the oracle.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <vector>

#include "betr/path_filesystem.h"
#include "support/ace/model.h"

namespace betr::ace {

struct Seen {
  FileAttributes attributes;
  std::string content;     // or target
  std::vector<bool> data;  // by block: whether it is data, not a hole
  std::map<std::string, std::string> xattrs;
};

// By path; "" is the root.
using Survey = std::map<std::string, Seen>;

absl::StatusOr<Survey> TakeSurvey(FileSystem& fs);

// Returns the first difference; empty if there is none. As for holes: what was never written must be a hole, and what
// is not zero must not.
std::string DifferenceOf(const Survey& survey, const Model& model);

}  // namespace betr::ace
