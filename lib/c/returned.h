// SPDX-License-Identifier: Apache-2.0
// Bytes on their way out.
#pragma once

#include <string>
#include <string_view>

#include "betr/c.h"

namespace betr::c {

// A copy for the caller, who frees it with betr_free. Never null.
void* CopyOf(std::string_view bytes, size_t* size);
// The same of a string, with a zero byte behind it.
char* CopyOf(const std::string& string);

// Bytes that stay where they are. Never null, also if there are none. `size` may be null.
const void* Show(std::string_view bytes, size_t* size);
// That there are none to show.
const void* ShowNothing(size_t* size);

}  // namespace betr::c
