// SPDX-License-Identifier: Apache-2.0
#include "dag/read/check.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_cat.h>

#include <vector>

namespace betr::dag {
namespace {

using Report = std::function<void(const Finding&)>;
using Kind = Finding::Kind;

// The checks of one node.
class NodeCheck {
 public:
  NodeCheck(NodeId id, const Node& node, const CheckOptions& options, const Report& report)
      : id_(id), node_(node), options_(options), report_(report) {}

  void Run() {
    if (node_.bounds.Empty()) Say(Kind::kShape, "its bounds are empty");
    if (node_.Leaf()) {
      CheckLeaf();
    } else {
      CheckEdges();
    }
  }

 private:
  void Say(Kind kind, std::string what) { report_({kind, id_, std::move(what), 0}); }

  void CheckLeaf() {
    if (!node_.edges.empty()) Say(Kind::kShape, "a leaf has edges");
    const Bound* from = &node_.bounds.lo;
    for (const BlockView& basement : node_.basements) {
      if (basement.clip.Empty() || basement.clip.lo < *from || basement.clip.hi > node_.bounds.hi) {
        Say(Kind::kShape, absl::StrCat("basement ", ToString(basement.clip), " is out of order or out of bounds"));
      }
      from = &basement.clip.hi;
      CheckBlock(basement, true);
    }
  }

  void CheckEdges() {
    if (!node_.basements.empty() || node_.edges.empty()) {
      Say(Kind::kShape, "an interior node has edges and no basements");
      return;
    }
    const Bound* from = &node_.bounds.lo;
    for (const Edge& edge : node_.edges) {
      if (edge.link.range.lo != *from || edge.link.range.Empty()) {
        Say(Kind::kShape, absl::StrCat("edge ", ToString(edge.link.range), " leaves a gap or overlaps"));
      }
      if (edge.link.Null() && !edge.link.translation.empty()) Say(Kind::kShape, "a null edge has a translation");
      from = &edge.link.range.hi;
      CheckPartition(edge);
    }
    if (*from != node_.bounds.hi) Say(Kind::kShape, "the edges do not reach the end of the bounds");
  }

  void CheckPartition(const Edge& edge) {
    const Bound* from = &edge.link.range.lo;
    for (const Goto& message : edge.partition.gotos) {
      const Range& range = message.link.range;
      if (range.Empty() || range.lo < *from || range.hi > edge.link.range.hi) {
        Say(Kind::kShape, absl::StrCat("goto ", ToString(range), " overlaps or leaves its edge"));
      }
      if (message.over > edge.partition.runs.size()) {
        Say(Kind::kShape, absl::StrCat("goto ", ToString(range), " supersedes runs that are not there"));
      }
      if (!message.Erases() && message.target_height + 1 >= node_.height) {
        Say(Kind::kHeight, absl::StrCat("goto ", ToString(range), " goes to height ", message.target_height));
      }
      from = &range.hi;
    }
    for (const BlockView& run : edge.partition.runs) {
      if (run.clip.Empty() || !edge.link.range.Covers(run.clip)) {
        Say(Kind::kShape, absl::StrCat("run ", ToString(run.clip), " leaves its edge"));
      }
      CheckBlock(run, false);
    }
  }

  void CheckBlock(const BlockView& view, bool leaf) {
    if (!Range::Prefix(view.affix.prepend).Covers(view.clip)) {
      Say(Kind::kShape, absl::StrCat("view ", ToString(view.clip), " is outside its affix"));
    }
    if (!options_.blocks) return;
    absl::StatusOr<ViewReader> reader = ViewReader::Open(view);
    if (!reader.ok()) {
      Say(Kind::kUnreadable, std::string(reader.status().message()));
      return;
    }
    if (const absl::Status entries = CheckEntries(*reader, view.clip, leaf); !entries.ok()) {
      Say(Kind::kOrder, std::string(entries.message()));
    }
  }

  NodeId id_;
  const Node& node_;
  const CheckOptions& options_;
  const Report& report_;
};

// The walk over all nodes.
class DagCheck {
 public:
  DagCheck(const NodeTable& table, const CheckOptions& options, const Report& report)
      : table_(table), options_(options), report_(report) {}

  void Run(const std::map<NodeId, uint32_t>& roots) {
    for (const auto& [root, times] : roots) {
      for (uint32_t i = 0; i < times; ++i) Name(root, root);
    }
    Drain();
    // Dead nodes hold their references until they are reclaimed.
    table_.ForEach([&](NodeId id, const NodeRecord& record) {
      if (record.Dead() && !named_.contains(id)) {
        todo_.push_back(id);
        named_[id] = 0;
      }
    });
    Drain();
    table_.ForEach([&](NodeId id, const NodeRecord& record) { CompareCount(id, record); });
  }

 private:
  void Name(NodeId id, NodeId by) {
    if (table_.Find(id) == nullptr) {
      report_({Kind::kMissing, by, absl::StrCat("names node ", id.value, ", which is not in the node table"), 0});
      return;
    }
    if (named_[id]++ == 0) todo_.push_back(id);
  }

  void Drain() {
    while (!todo_.empty()) {
      const NodeId id = todo_.back();
      todo_.pop_back();
      if (visited_.insert(id).second) Visit(id);
    }
  }

  void Visit(NodeId id) {
    const NodeRecord& record = *table_.Find(id);
    if (record.Dead() && record.height == 0) return;
    const absl::StatusOr<NodePtr> node = LoadNode(table_, id);
    if (!node.ok()) {
      report_({Kind::kUnreadable, id, std::string(node.status().message()), 0});
      return;
    }
    NodeCheck(id, **node, options_, report_).Run();
    for (const Edge& edge : (*node)->edges) {
      if (!edge.link.Null()) CheckLink(id, edge.link, static_cast<Height>((*node)->height - 1));
      for (const Goto& message : edge.partition.gotos) {
        if (!message.Erases()) CheckLink(id, message.link, message.target_height);
      }
    }
  }

  void CheckLink(NodeId id, const Link& link, Height height) {
    Name(link.target, id);
    const NodeRecord* target = table_.Find(link.target);
    if (target == nullptr) return;
    if (target->height != height) {
      report_({Kind::kHeight, id,
               absl::StrCat("names node ", link.target.value, " of height ", target->height, " where height ", height,
                            " belongs"),
               0});
    }
    const absl::StatusOr<NodePtr> child = LoadNode(table_, link.target);
    if (child.ok() && !(*child)->bounds.Covers(link.Image())) {
      report_({Kind::kImage, id,
               absl::StrCat("link ", ToString(link.range), " shows ", ToString(link.Image()), " of node ",
                            link.target.value, ", which holds ", ToString((*child)->bounds)),
               0});
    }
  }

  void CompareCount(NodeId id, const NodeRecord& record) {
    const auto found = named_.find(id);
    const uint32_t names = found == named_.end() ? 0 : found->second;
    if (names == record.references) return;
    const Kind kind = names == 0 ? Kind::kUnreachable : Kind::kReferences;
    report_({kind, id, absl::StrCat("reference count is ", record.references, ", but ", names, " name it"), names});
  }

  const NodeTable& table_;
  const CheckOptions& options_;
  const Report& report_;
  absl::flat_hash_map<NodeId, uint32_t> named_;
  absl::flat_hash_set<NodeId> visited_;
  std::vector<NodeId> todo_;
};

}  // namespace

void CheckDag(const NodeTable& table, const std::map<NodeId, uint32_t>& roots, const CheckOptions& options,
              const std::function<void(const Finding&)>& report) {
  DagCheck(table, options, report).Run(roots);
}

absl::Status CheckEntries(ViewReader& reader, const Range& clip, bool is_leaf) {
  std::string previous;
  bool is_first = true;
  for (reader.SeekForward(clip.lo); reader.Valid(); reader.Next()) {
    const std::string_view key = reader.Key();
    if (!clip.Contains(key) || (!is_first && key <= previous)) {
      return absl::DataLossError("keys are out of order or out of bounds");
    }
    if (is_leaf && (reader.GroupSize() != 1 || reader.At(0).kind != MessageKind::kPut)) {
      return absl::DataLossError("an entry of a leaf is not one put");
    }
    previous = key;
    is_first = false;
  }
  return absl::OkStatus();
}

}  // namespace betr::dag
