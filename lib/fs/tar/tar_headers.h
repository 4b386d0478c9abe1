// SPDX-License-Identifier: Apache-2.0
// Mends headers of pax archives: what libarchive writes into them but tar(1) understands otherwise, and what libarchive
// leaves escaped of what tar(1) has written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace betr::fs {

struct MendedHeaders {
  std::string headers;
  std::vector<std::string> left_out;  // names of extended attributes
};

// Mends `headers`, those of one entry, as libarchive has written them: its own, preceded by an extended one if there is
// any. In the extended one, the name of a sparse file becomes `name`: libarchive has cut it if it is long and not
// UTF-8. Names of extended attributes, which libarchive has escaped as in URLs, are escaped as by tar(1). A value that
// libarchive has written twice is there once, unless the name needs both. What goes beyond 1 MiB is left out:
// libarchive would not read it.
MendedHeaders MendHeaders(std::string headers, std::string_view name);

// Returns the headers with other permissions in the entry's own header.
std::string WithMode(std::string headers, uint32_t mode);

// Returns extended attributes by name, without what archives do to names. If an archive has two headers for one, which
// escape it in different ways, libarchive undoes that in one of them, and shows both.
std::map<std::string, std::string> PlainXattrs(std::map<std::string, std::string> xattrs);

}  // namespace betr::fs
