// SPDX-License-Identifier: Apache-2.0
// What libarchive puts into the headers of pax archives otherwise than tar(1) understands it, and what it leaves of
// tar(1)'s in those that it reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace betr::fs {

// `headers` are those of one entry, as libarchive has written them: its own, and before it an extended one if there is
// any. In this the name of a sparse file, which libarchive has cut if it is long and not UTF-8, becomes `name`, and
// names of extended attributes that libarchive has escaped as in URLs are escaped as by tar(1).
std::string MendHeaders(std::string headers, std::string_view name);

// The same with other permissions in the entry's own header.
std::string WithMode(std::string headers, uint32_t mode);

// Extended attributes by name, without what archives do to names. Where an archive has two headers for one, which
// escape in different ways, libarchive undoes that in one of them, and shows both.
std::map<std::string, std::string> PlainXattrs(std::map<std::string, std::string> xattrs);

}  // namespace betr::fs
