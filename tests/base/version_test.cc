// SPDX-License-Identifier: Apache-2.0
#include "betr/version.h"

#include <catch2/catch.hpp>
#include <string>

namespace betr {

TEST_CASE("the library and its headers are of one version") {
  CHECK(std::string(LibraryVersion()) == BETR_VERSION_STRING);
  CHECK(std::to_string(BETR_VERSION_MAJOR) + "." + std::to_string(BETR_VERSION_MINOR) + "." +
            std::to_string(BETR_VERSION_PATCH) ==
        BETR_VERSION_STRING);
}

}  // namespace betr
