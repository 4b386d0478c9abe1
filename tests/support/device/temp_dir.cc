// SPDX-License-Identifier: Apache-2.0
#include "support/device/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/check.h"

namespace betr {

TempDir::TempDir() : path_((std::filesystem::temp_directory_path() / "betr-test-XXXXXX").string()) {
  Check(mkdtemp(path_.data()) != nullptr, "a temporary directory can be made");
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace betr
