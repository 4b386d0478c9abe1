// SPDX-License-Identifier: Apache-2.0
// Strings to be read or decompressed into. Filling a block with zeros first would cost as much as decoding it.
#pragma once

#include <string>

namespace betr {

// Makes the string `size` bytes long, as resize() does, but leaves what it adds unset. The caller overwrites it before
// anybody reads it.
void ResizeUninitialized(std::string* bytes, size_t size);

// A string of `size` bytes that are unset.
std::string UninitializedString(size_t size);

}  // namespace betr
