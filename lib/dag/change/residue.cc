// SPDX-License-Identifier: Apache-2.0
#include "dag/change/residue.h"

#include "base/status.h"
#include "dag/partition_reader.h"

namespace betr::dag {
namespace {

// Returns what is left of an erase of `between` that waits in this partition.
absl::StatusOr<Residue> ResidueIn(const Partition& partition, const Range& between, const UpsertRegistry& functions) {
  const Partition there = partition.Cut(between);
  if (!there.gotos.empty()) return Residue::kSame;
  BETR_ASSIGN_OR_RETURN(const PartitionReader points, PartitionReader::Open(there, functions));
  return points.Valid() ? Residue::kSame : Residue::kMore;
}

}  // namespace

absl::StatusOr<Residue> ResidueOf(const NodeTable& table, NodeId root, std::string before, std::string after,
                                  const UpsertRegistry& functions) {
  bool shared = false;  // the node, and so all below it
  Height above = kAboveRoot;
  for (NodeId id = root;;) {
    const NodeRecord* record = table.Find(id);
    if (record != nullptr && record->height == 0) return Residue::kNone;
    BETR_ASSIGN_OR_RETURN(const NodePtr node, LoadNode(table, id));
    BETR_RETURN_IF_ERROR(CheckBelow(id, *node, above, {Bound::At(before), Bound::At(after)}));
    above = node->height;
    shared = shared || record->references > 1;
    const Edge& edge = node->edges[node->EdgeOf(before)];
    if (!edge.link.range.Contains(after)) return Residue::kNone;
    // Of the nodes that come here only the root may be shared. A writer gets a copy of it, which shares the children.
    const NodeRecord* child = table.Find(edge.link.target);
    const Goto* over = edge.partition.Covering(before);
    const bool behind_goto = over != nullptr && !over->Erases() && over->link.range.Contains(after);
    if (behind_goto || (child != nullptr && (shared || child->references > 1))) {
      return ResidueIn(edge.partition, {Range::Only(before).hi, Bound::At(after)}, functions);
    }
    if (edge.link.Null() || over != nullptr) return Residue::kNone;
    before = edge.link.Map(before);
    after = edge.link.Map(after);
    id = edge.link.target;
  }
}

}  // namespace betr::dag
