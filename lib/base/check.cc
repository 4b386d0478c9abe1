// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace betr {

void CheckFailed(std::string_view what, const std::source_location& where) {
  std::fprintf(stderr, "%s:%u: %s: broken invariant: %.*s\n", where.file_name(), static_cast<unsigned>(where.line()),
               where.function_name(), static_cast<int>(what.size()), what.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace betr
