// SPDX-License-Identifier: Apache-2.0
#include "betr/version.h"

namespace betr {

const char* LibraryVersion() { return BETR_VERSION_STRING; }

}  // namespace betr
