// SPDX-License-Identifier: Apache-2.0
#include "dag/edit.h"

#include "base/check.h"

namespace betr::dag {

NodeRecord Edit::Record(NodeId id) const {
  const NodeRecord* record = table_.Find(id);
  Check(record != nullptr, "a node that is named is in the table");
  return *record;
}

absl::StatusOr<NodePtr> Edit::Load(NodeId id) const { return LoadNode(table_, id); }

NodePtr Edit::Peek(NodeId id) const {
  const NodeRecord* record = table_.Find(id);
  return record == nullptr ? nullptr : record->slot->Peek();
}

uint32_t Edit::References(NodeId id) const { return Record(id).references; }

NodeId Edit::Create(Node node) {
  const NodeId id = next_id_;
  next_id_ = next_id_.Next();
  const Height height = node.height;
  table_.Set(id, {1, height, context_.source.Adopt(id, std::move(node))});
  ++context_.counters.nodes_created;
  return id;
}

void Edit::Update(NodeId id, Node node) {
  const NodeRecord record = Record(id);
  Check(record.references <= 1, "a shared node is never changed");
  Check(record.height == node.height, "a node keeps its height");
  table_.Set(id, {record.references, record.height, context_.source.Adopt(id, std::move(node))});
}

void Edit::Retain(NodeId id) {
  if (id == kNoNode) {
    return;
  }
  NodeRecord record = Record(id);
  Check(record.references > 0, "a dead node gets no references");
  ++record.references;
  table_.Set(id, std::move(record));
}

void Edit::Release(NodeId id) {
  if (id == kNoNode) {
    return;
  }
  NodeRecord record = Record(id);
  Check(record.references > 0, "a reference that is given back was held");
  --record.references;
  if (record.references == 0) {
    dead_.push_back(id);
  }
  table_.Set(id, std::move(record));
}

void Edit::RetainTargets(const Partition& partition) {
  for (const Goto& message : partition.gotos) {
    Retain(message.link.target);
  }
}

void Edit::ReleaseTargets(const Partition& partition) {
  for (const Goto& message : partition.gotos) {
    Release(message.link.target);
  }
}

void Edit::Remove(NodeId id) {
  Check(Record(id).Dead(), "only dead nodes are removed");
  table_.Remove(id);
  ++context_.counters.nodes_reclaimed;
}

void Edit::Discard(NodeId id) {
  Check(References(id) == 1, "only a private node's content moves");
  table_.Remove(id);
}

BlockView Edit::Adopt(BlockBuilder& builder, Range clip) {
  return BlockView::Whole(context_.source.Adopt(builder.Finish()), std::move(clip));
}

}  // namespace betr::dag
