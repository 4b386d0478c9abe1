// SPDX-License-Identifier: Apache-2.0
// The project's documents, for tests that hold them against the code.
#pragma once

#include <string>
#include <string_view>

namespace betr::test {

// Returns the text of a file below docs/. Fails the test if it cannot be read.
std::string ReadDocument(std::string_view name);

}  // namespace betr::test
