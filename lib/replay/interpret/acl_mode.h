// SPDX-License-Identifier: Apache-2.0
// What setting an access ACL does to the permission bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace betr::replay {

// Returns the permissions after `system.posix_acl_access` was set to `value`; nothing if that is not an ACL. The bits
// above 0777 stay. `value` is a version (2) as 32 bits, then entries of a 16-bit tag, 16-bit permissions and a 32-bit
// id, all little-endian.
std::optional<uint32_t> ModeOfAcl(std::string_view value, uint32_t permissions);

}  // namespace betr::replay
