// SPDX-License-Identifier: Apache-2.0
// The parts of nodes as all of betrdump shows them: bounds, links and messages, as text and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "dag/node.h"
#include "json_output.h"
#include "layout/extent.h"

namespace betr::tools {

// A key, escaped and in quotes. A key longer than `max` bytes is cut and followed by its size.
std::string KeyText(std::string_view key, size_t max = SIZE_MAX);
// What a link does to keys: empty, or `"usr/" => "lib/"`, the prefix that is stripped and the one that is put in front.
std::string TranslationText(const dag::Link& link);
// "node 7", "node 7, "usr/" => "lib/"", "nothing".
std::string LinkText(const dag::Link& link);
// "put 12 bytes", "erase", "upsert 3 with 4 bytes".
std::string MessageText(const dag::Message& message);
std::string_view MessageName(dag::MessageKind kind);

// {"at": key} or {"past": key}; {"lo": bound, "hi": bound}.
Json BoundJson(const Bound& bound);
Json RangeJson(const Range& range);
// {"range":, "target":, "strip":, "prepend":}. `target` is null for a null link.
Json LinkJson(const dag::Link& link);
// {"unit":, "units":, "scattered":, "offset":, "size":}. For a scattered extent `unit` is that of its map, and there
// are no bytes.
Json ExtentJson(const layout::ExtentAddress& extent);

}  // namespace betr::tools
