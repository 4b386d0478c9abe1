// SPDX-License-Identifier: Apache-2.0
#include "dag/change/edit.h"

#include <absl/strings/str_cat.h>

#include "base/check.h"
#include "base/status.h"

namespace betr::dag {

std::optional<NodeRecord> Edit::Record(NodeId id) const {
  const NodeRecord* record = table_.Find(id);
  if (record == nullptr) {
    Damage(id, "is named, but not in the node table");
    return std::nullopt;
  }
  return *record;
}

absl::StatusOr<NodePtr> Edit::Load(NodeId id) const {
  LeftOut* left_out = context_.left_out;
  if (left_out == nullptr) return LoadNode(table_, id);
  BETR_RETURN_IF_ERROR(left_out->NodeStatus(id));
  absl::StatusOr<NodePtr> node = LoadNode(table_, id);
  if (IsUnreadable(node.status())) left_out->AddNode(id, node.status());
  return node;
}

NodePtr Edit::Peek(NodeId id) const {
  const NodeRecord* record = table_.Find(id);
  const NodePtr node = record == nullptr ? nullptr : record->slot->Peek();
  // One that contradicts the table is damage (LoadNode), also after somebody has read it.
  return node == nullptr || node->height != record->height ? nullptr : node;
}

void Edit::Damage(NodeId id, std::string_view what) const {
  if (status_.ok()) {
    status_ = absl::DataLossError(absl::StrCat("node ", id.value, ": ", absl::string_view(what.data(), what.size())));
  }
}

uint32_t Edit::References(NodeId id) const {
  const std::optional<NodeRecord> record = Record(id);
  return record ? record->references : 0;
}

void Edit::Set(NodeId id, uint32_t references, Node node) {
  node.known_entries = CountEntries(table_, node);
  NodeRecord record{references, node.height, node.known_entries, nullptr};
  record.slot = context_.source.Adopt(id, std::move(node));
  table_.Set(id, std::move(record));
}

NodeId Edit::Create(Node node) {
  const NodeId id = next_id_;
  next_id_ = next_id_.Next();
  Set(id, 1, std::move(node));
  ++context_.counters.nodes_created;
  changed_.push_back(id);
  return id;
}

void Edit::Update(NodeId id, Node node) {
  const std::optional<NodeRecord> record = Record(id);
  if (!record) return;
  Check(record->references <= 1, "a shared node is never changed");
  Check(record->height == node.height, "a node keeps its height");
  if (const NodePtr now = record->slot->Peek(); now != nullptr && *now == node) {
    return;  // it is only on the way to a node that changed: no need to write it
  }
  changed_.push_back(id);
  Set(id, record->references, std::move(node));
}

void Edit::Rearrange(NodeId id, Node node) {
  const std::optional<NodeRecord> record = Record(id);
  if (!record) return;
  Check(record->height == node.height, "a node keeps its height");
  changed_.push_back(id);
  Set(id, record->references, std::move(node));
}

void Edit::Retain(NodeId id) {
  if (id == kNoNode) return;
  if (References(id) == 0) {
    Damage(id, "is named, but has no references");
    return;
  }
  NodeRecord record = *Record(id);
  ++record.references;
  table_.Set(id, std::move(record));
}

void Edit::Release(NodeId id) {
  if (id == kNoNode) return;
  if (References(id) == 0) {
    Damage(id, "was named, but has no references");
    return;
  }
  NodeRecord record = *Record(id);
  --record.references;
  if (record.references == 0) {
    dead_.push_back(id);
    changed_.push_back(id);
  }
  table_.Set(id, std::move(record));
}

void Edit::RetainTargets(const Partition& partition) {
  for (const Goto& message : partition.gotos) Retain(message.link.target);
}

void Edit::ReleaseTargets(const Partition& partition) {
  for (const Goto& message : partition.gotos) Release(message.link.target);
}

void Edit::Remove(NodeId id) {
  Check(Record(id).has_value() && Record(id)->Dead(), "only dead nodes are removed");
  changed_.push_back(id);
  table_.Remove(id);
  ++context_.counters.nodes_reclaimed;
}

void Edit::Discard(NodeId id) {
  if (References(id) != 1) {
    Damage(id, "was taken for a private node, but has another number of references");
    return;
  }
  changed_.push_back(id);
  table_.Remove(id);
}

BlockView Edit::Adopt(BlockBuilder& builder, Range clip) {
  return BlockView::Whole(context_.source.Adopt(builder.Finish()), std::move(clip));
}

}  // namespace betr::dag
