// SPDX-License-Identifier: Apache-2.0
#include "store/offline/salvage_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status.h"
#include "dag/read/check.h"
#include "dag/view.h"
#include "store/slots.h"

namespace betr::store {
namespace {

std::string InNode(NodeId id, const absl::Status& status) {
  const std::string place = fmt::format("node {}: ", id.value);
  const std::string message(status.message());
  return message.starts_with(place) ? message : place + message;
}

}  // namespace

SalvageWalk::SalvageWalk(Inspection& image, SalvageNodes& nodes) : image_(image), nodes_(nodes) {
  nodes_.table().ForEach([&](NodeId id, const dag::NodeRecord& record) {
    const auto address = AddressOf(&record);
    if (address && address->version >= image_.superblock().next_version) move_.insert(id);
  });
}

absl::Status SalvageWalk::CheckRoot(NodeId id) {
  BETR_ASSIGN_OR_RETURN(const dag::NodePtr node, nodes_.Load(id));
  return dag::CheckRoot(id, *node);
}

void SalvageWalk::Name(NodeId id) {
  NameFrom(kNoNode, id);
  Drain();
}

void SalvageWalk::NameFrom(NodeId by, NodeId id) {
  if (by != kNoNode) named_by_[id].push_back(by);
  if (++names_[id] == 1 && !visited_.contains(id)) waiting_.push_back(id);
}

void SalvageWalk::Drain() {
  while (!waiting_.empty()) {
    const NodeId id = waiting_.back();
    waiting_.pop_back();
    if (visited_.insert(id).second) Visit(id);
  }
}

void SalvageWalk::Visit(NodeId id) {
  const absl::StatusOr<dag::NodePtr> node = nodes_.Load(id);
  if (!node.ok()) {
    return;  // whoever named it has noted that
  }
  dag::Node mended = **node;
  for (size_t i = 0; i < mended.edges.size(); ++i) VisitEdge(id, mended, i);
  VisitBasements(id, mended);
  const bool must_move = move_.contains(id) || image_.Overlaps(id);
  if (must_move || !(mended == **node)) nodes_.Replace(id, std::move(mended));
}

void SalvageWalk::VisitEdge(NodeId id, dag::Node& node, size_t index) {
  dag::Edge& edge = node.edges[index];
  VisitRuns(id, edge.partition);
  for (dag::Goto& message : edge.partition.gotos) {
    if (message.Erases()) continue;
    const absl::Status status = CheckTarget(message.link, message.target_height);
    if (status.ok()) {
      NameFrom(id, message.link.target);
      continue;
    }
    cuts_[id].push_back({message.link.range, false, message.over, std::string(status.message())});
    message = {{message.link.range, kNoNode, {}}, 0, message.over};
  }
  if (edge.link.Null()) return;
  const absl::Status status = CheckTarget(edge.link, static_cast<dag::Height>(node.height - 1));
  if (status.ok()) {
    NameFrom(id, edge.link.target);
    return;
  }
  CutOutBelow(id, edge.partition.gotos, {edge.link.range, false, 0, std::string(status.message())});
  edge.link = {edge.link.range, kNoNode, {}};
}

void SalvageWalk::VisitRuns(NodeId id, dag::Partition& partition) {
  for (size_t i = 0; i < partition.runs.size();) {
    const absl::Status status = CheckBlock(partition.runs[i], false);
    if (status.ok()) {
      ++i;
      continue;
    }
    std::vector<dag::Goto> newer;
    std::copy_if(partition.gotos.begin(), partition.gotos.end(), std::back_inserter(newer),
                 [&](const dag::Goto& message) { return message.over > i; });
    CutOutBelow(id, newer, {partition.runs[i].clip, true, i, InNode(id, status)});
    partition.runs.erase(partition.runs.begin() + static_cast<ptrdiff_t>(i));
    for (dag::Goto& message : partition.gotos) message.over -= message.over > i ? 1 : 0;
  }
}

void SalvageWalk::VisitBasements(NodeId id, dag::Node& node) {
  std::erase_if(node.basements, [&](const dag::BlockView& basement) {
    const absl::Status status = CheckBlock(basement, true);
    if (!status.ok()) cuts_[id].push_back({basement.clip, false, 0, InNode(id, status)});
    return !status.ok();
  });
}

absl::Status SalvageWalk::CheckTarget(const dag::Link& link, dag::Height height) {
  absl::StatusOr<dag::NodePtr> node = nodes_.Load(link.target);
  if (!node.ok()) {
    lost_.insert(link.target);
    is_interior_lost_ |= height > 0;
    return node.status();
  }
  if ((*node)->height != height) {
    return absl::DataLossError(
        fmt::format("node {}: height {} where height {} belongs", link.target.value, (*node)->height, height));
  }
  if (!(*node)->bounds.Covers(link.Image())) {
    return absl::DataLossError(
        fmt::format("node {}: it does not hold the range that is to be seen of it", link.target.value));
  }
  return absl::OkStatus();
}

absl::Status SalvageWalk::CheckBlock(const dag::BlockView& view, bool is_leaf) {
  absl::StatusOr<dag::ViewReader> reader = dag::ViewReader::Open(view);
  BETR_RETURN_IF_ERROR(reader.status());
  return dag::CheckEntries(*reader, view.clip, is_leaf);
}

void SalvageWalk::CutOutBelow(NodeId id, std::span<const dag::Goto> gotos, const Cut& cut) {
  Cut left = cut;
  const auto add = [&] {
    if (!left.range.Empty()) cuts_[id].push_back(left);
  };
  for (const dag::Goto& message : gotos) {
    left.range.hi = std::min(cut.range.hi, message.link.range.lo);
    add();
    left.range = {std::max(left.range.lo, message.link.range.hi), cut.range.hi};
  }
  add();
}

void SalvageWalk::Doubt(NodeId id, const std::string& why) {
  const absl::StatusOr<dag::NodePtr> node = nodes_.Load(id);
  if (node.ok()) cuts_[id].push_back({(*node)->bounds, true, 0, why, true});
}

void SalvageWalk::VisitDead() {
  std::vector<NodeId> dead;
  nodes_.table().ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (record.Dead() && !names_.contains(id)) dead.push_back(id);
  });
  for (const NodeId id : dead) {
    // A dead leaf names no nodes, so nobody will read it.
    if (nodes_.table().Find(id)->height > 0 && !nodes_.Load(id).ok()) {
      actions_.push_back(fmt::format("node {}: dead and unreadable: removed from the node table", id.value));
      nodes_.table().Remove(id);
      continue;
    }
    dead_.insert(id);
    if (nodes_.table().Find(id)->height > 0) {
      waiting_.push_back(id);
      Drain();
    }
  }
}

void SalvageWalk::VisitUnnamed(const std::function<void(NodeId, const dag::Node&)>& found) {
  std::vector<std::pair<dag::Height, NodeId>> unnamed;
  nodes_.table().ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (!record.Dead() && !names_.contains(id)) unnamed.emplace_back(record.height, id);
  });
  // The highest first, since a node is higher than all that it names.
  std::sort(unnamed.begin(), unnamed.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  for (const auto& [height, id] : unnamed) {
    const absl::StatusOr<dag::NodePtr> node = names_.contains(id) ? absl::NotFoundError("") : nodes_.Load(id);
    if (!node.ok() || (*node)->Empty()) continue;
    found(id, **node);
  }
}

void SalvageWalk::Settle() {
  std::vector<NodeId> gone;
  std::vector<std::pair<NodeId, uint32_t>> counts;
  nodes_.table().ForEach([&](NodeId id, const dag::NodeRecord& record) {
    const auto names = names_.find(id);
    const uint32_t references = names == names_.end() ? 0 : names->second;
    if (references == 0 && !dead_.contains(id)) {
      gone.push_back(id);
    } else if (references != record.references) {
      counts.emplace_back(id, references);
    }
  });
  for (const NodeId id : gone) {
    if (!lost_.contains(id)) actions_.push_back(fmt::format("node {}: removed from the node table", id.value));
    nodes_.table().Remove(id);
  }
  for (const auto& [id, references] : counts) {
    dag::NodeRecord record = *nodes_.table().Find(id);
    actions_.push_back(fmt::format("node {}: the reference count is now {}", id.value, references));
    record.references = references;
    nodes_.table().Set(id, std::move(record));
  }
}

const std::vector<NodeId>& SalvageWalk::NamedBy(NodeId id) const {
  static const std::vector<NodeId> kNone;
  const auto found = named_by_.find(id);
  return found == named_by_.end() ? kNone : found->second;
}

}  // namespace betr::store
