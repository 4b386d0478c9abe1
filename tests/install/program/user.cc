// SPDX-License-Identifier: Apache-2.0
// The least that a user of an installed libbetr writes: include a header, call the library.
#include <betr/version.h>

#include <iostream>
#include <string_view>

int main() {
  std::cout << "betr " << betr::LibraryVersion() << '\n';
  return std::string_view(betr::LibraryVersion()) == BETR_VERSION_STRING ? 0 : 1;
}
