// SPDX-License-Identifier: Apache-2.0
// Point lookup in one tree. Reads never change nodes.
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "dag/message.h"
#include "dag/table.h"

namespace betr::dag {

// Walks down from `root`, adding what it finds for the key to `value`, newest first, until something is terminal.
// Cost: per level one node and the runs of one partition, at the end one basement; each read only if not in memory.
absl::Status LookUp(const NodeTable& table, NodeId root, std::string_view key, ValueBuilder& value);

// The same in one partition. Returns the goto that covers the key, or null.
absl::StatusOr<const Goto*> LookUpInPartition(const Partition& partition, std::string_view key, ValueBuilder& value);

}  // namespace betr::dag
