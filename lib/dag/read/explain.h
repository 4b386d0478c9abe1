// SPDX-License-Identifier: Apache-2.0
// The route of one key through a tree, as plain data to be printed.
#pragma once

#include <absl/status/status.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/upsert.h"
#include "dag/table.h"

namespace betr::dag {

// A message that applies to the key, or the entry of a leaf.
struct RouteMessage {
  size_t run = 0;  // of the edge's partition; of a leaf: the basement
  MessageKind kind = MessageKind::kPut;
  uint16_t function = 0;  // of an upsert
  std::string value;
};

// A node that the route passes.
struct RouteStep {
  NodeId node;
  Height height = 0;
  uint32_t references = 0;
  Range bounds;                        // of the node's space
  std::string key;                     // as it reads there
  std::vector<RouteMessage> messages;  // newest first, down to the first that is terminal
  // Of an interior node:
  size_t edge = 0;               // the index of the edge that holds the key
  Link link;                     // where the route goes on: of the edge, or of the goto that covers the key
  std::optional<Goto> covering;  // that goto

  bool Leaf() const { return height == 0; }
};

struct Route {
  std::vector<RouteStep> steps;      // from the root down
  std::optional<std::string> value;  // nothing if the key is absent
  absl::Status status;               // why the route could not be followed further, or the value cannot be told
};

// Cost: as a lookup.
Route Explain(const NodeTable& table, NodeId root, std::string_view key, const UpsertRegistry& functions);

}  // namespace betr::dag
