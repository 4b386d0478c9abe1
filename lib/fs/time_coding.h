// SPDX-License-Identifier: Apache-2.0
// Converts a clock's time to a FileTime, and a FileTime to bytes and back: seconds as a zigzag varint, nanoseconds as a
// varint below 10^9.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <string>

#include "base/decoder.h"
#include "betr/file_attributes.h"

namespace betr::fs {

// Of what a Clock says.
FileTime FileTimeOf(std::chrono::nanoseconds since_1970);

// EINVAL if the nanoseconds are a second or more: such a time could be written, but not read.
absl::Status CheckTime(FileTime time);

void PutFileTime(std::string* out, FileTime time);
FileTime GetFileTime(Decoder* in);

}  // namespace betr::fs
