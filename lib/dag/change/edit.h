// SPDX-License-Identifier: Apache-2.0
// An edit is the private workspace of the one structural writer: a node table that nobody else sees yet. All surgery
// (arrive, flush, split, heal, clone, reclaim) happens in an edit. The store publishes its table in one step. Or it
// drops the edit, and then nothing has happened.
//
// Not thread-safe. What it reads is shared with readers and never changed.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>
#include <string_view>
#include <vector>

#include "betr/upsert.h"
#include "dag/change/policy.h"
#include "dag/counters.h"
#include "dag/left_out.h"
#include "dag/node.h"
#include "dag/shape.h"
#include "dag/source.h"
#include "dag/table.h"

namespace betr::dag {

// What all edits of one store have in common. What it refers to must outlive the edit.
struct Context {
  NodeSource& source;
  const UpsertRegistry& functions;
  const Shape& shape;
  Counters& counters;
  const Policy& policy = kUsualPolicy;
  LeftOut* left_out = nullptr;  // of background work
};

class Edit {
 public:
  // Starts from `table`; new nodes get ids from `next_id` on.
  Edit(NodeTable table, NodeId next_id, Context context)
      : table_(std::move(table)), next_id_(next_id), context_(context) {
    table_.StartChanging();
  }

  const NodeTable& table() const { return table_; }
  NodeId next_id() const { return next_id_; }
  const Context& context() const { return context_; }
  const Shape& shape() const { return context_.shape; }
  Counters& counters() const { return context_.counters; }
  const Policy& policy() const { return context_.policy; }

  // The current version of a node. Errors: the source's, without asking it again if it is background work that does;
  // kDataLoss if the table does not know the id.
  absl::StatusOr<NodePtr> Load(NodeId id) const;
  // The current version if it costs no I/O, else null.
  NodePtr Peek(NodeId id) const;
  // Whether there is nothing that background work does not do (left_out.h).
  bool LeavesOutNothing() const { return context_.left_out == nullptr || context_.left_out->Nothing(); }
  uint32_t References(NodeId id) const;
  // Whether more than one edge, goto, tree or snapshot names the node.
  bool Shared(NodeId id) const { return References(id) > 1; }

  // Why this edit must not be published: a node names one that the table does not know, or counts no references
  // for. Everything that changes a tree returns this too.
  const absl::Status& status() const { return status_; }
  // A new node with one reference, which the caller stores somewhere.
  NodeId Create(Node node);
  // A new version of a node, unless it is what the node is already. Requires: not shared; same height.
  void Update(NodeId id, Node node);
  // A new version of a node that says the same in its own space, and so may be shared. Requires: same height and
  // bounds.
  void Rearrange(NodeId id, Node node);
  // One reference more, or one less. Releasing the last one marks the node dead. kNoNode is ignored.
  void Retain(NodeId id);
  void Release(NodeId id);
  // The references of gotos in a partition that was copied, or dropped.
  void RetainTargets(const Partition& partition);
  void ReleaseTargets(const Partition& partition);
  // Takes a dead node out of the table (reclaim.h).
  void Remove(NodeId id);
  // Takes a node out whose content, references included, has moved elsewhere. Requires: not shared.
  void Discard(NodeId id);

  // Nodes that this edit marked dead.
  const std::vector<NodeId>& dead() const { return dead_; }

  // Nodes that came, went, died or got another version; some more than once.
  const std::vector<NodeId>& changed() const { return changed_; }

  // A view of a new block, over `clip`. The block comes from the builder, which is empty afterwards.
  BlockView Adopt(BlockBuilder& builder, Range clip);

 private:
  // None if the table does not know the node: then the edit is damaged.
  std::optional<NodeRecord> Record(NodeId id) const;
  void Damage(NodeId id, std::string_view what) const;
  void Set(NodeId id, uint32_t references, Node node);

  NodeTable table_;
  NodeId next_id_;
  Context context_;
  std::vector<NodeId> dead_;
  std::vector<NodeId> changed_;
  mutable absl::Status status_;
};

}  // namespace betr::dag
