// SPDX-License-Identifier: Apache-2.0
// Returns bytes to callers.
#pragma once

#include <string>
#include <string_view>

#include "betr/c.h"

namespace betr::c {

// A copy for the caller, who frees it with betr_free. Never null.
void* CopyOf(std::string_view bytes, size_t* size);
// The same for a string, with a zero byte behind it.
char* CopyOf(const std::string& string);

// Shows bytes that stay where they are. Never null, even if there are none. `size` may be null.
const void* Show(std::string_view bytes, size_t* size);
// Shows that there are none.
const void* ShowNothing(size_t* size);

}  // namespace betr::c
