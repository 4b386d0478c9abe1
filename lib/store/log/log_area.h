// SPDX-License-Identifier: Apache-2.0
// Where an image's log lies, and what names its frames among those of all images.
#pragma once

#include <cstdint>

#include "layout/superblock.h"
#include "store/log/log_format.h"

namespace betr::store {

LogArea LogAreaOf(const layout::Superblock& superblock);
uint64_t LogSaltOf(const layout::Superblock& superblock);

}  // namespace betr::store
