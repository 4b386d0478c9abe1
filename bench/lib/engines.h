// SPDX-License-Identifier: Apache-2.0
// One function for each engine: opens or makes it. Those of peers exist only in a build that found the peer.
#pragma once

#include "lib/engine.h"

namespace betr::bench {

absl::StatusOr<std::unique_ptr<Engine>> OpenBetr(const EngineOptions& options);
absl::StatusOr<std::unique_ptr<Engine>> OpenRocksdb(const EngineOptions& options);
absl::StatusOr<std::unique_ptr<Engine>> OpenLmdb(const EngineOptions& options);
absl::StatusOr<std::unique_ptr<Engine>> OpenWiredtiger(const EngineOptions& options);

}  // namespace betr::bench
