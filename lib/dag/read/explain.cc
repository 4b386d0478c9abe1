// SPDX-License-Identifier: Apache-2.0
#include "dag/read/explain.h"

#include <utility>

#include "base/status.h"

namespace betr::dag {
namespace {

class Explainer {
 public:
  Explainer(const NodeTable& table, Route& route) : table_(table), route_(route) {}

  absl::Status Run(NodeId id, std::string key) {
    BETR_ASSIGN_OR_RETURN(NodePtr node, LoadNode(table_, id));
    BETR_RETURN_IF_ERROR(CheckBelow(id, *node, kAboveRoot, key));
    for (;;) {
      RouteStep step;
      step.node = id;
      step.height = node->height;
      step.references = table_.Find(id)->references;
      step.bounds = node->bounds;
      step.key = key;
      const absl::Status status = node->Leaf() ? LookInLeaf(*node, step) : LookInInterior(*node, step);
      route_.steps.push_back(std::move(step));
      BETR_RETURN_IF_ERROR(status);
      const RouteStep& last = route_.steps.back();
      if (value_.Done() || last.Leaf() || last.link.Null()) return absl::OkStatus();
      key = last.link.Map(key);
      id = last.link.target;
      BETR_ASSIGN_OR_RETURN(node, LoadNode(table_, id));
      BETR_RETURN_IF_ERROR(CheckBelow(id, *node, last.height, key));
    }
  }

  absl::StatusOr<std::optional<std::string>> Value(const UpsertRegistry& functions, std::string_view key) const {
    return value_.Resolve(functions, key);
  }

 private:
  absl::Status LookInLeaf(const Node& leaf, RouteStep& step) {
    const size_t basement = leaf.BasementOf(step.key);
    return basement == leaf.basements.size() ? absl::OkStatus() : LookInView(leaf.basements[basement], basement, step);
  }

  absl::Status LookInInterior(const Node& node, RouteStep& step) {
    step.edge = node.EdgeOf(step.key);
    const Edge& edge = node.edges[step.edge];
    step.link = edge.link;
    size_t oldest = 0;
    if (const Goto* covering = edge.partition.Covering(step.key)) {
      step.covering = *covering;
      step.link = covering->link;
      oldest = covering->over;
    }
    for (size_t run = edge.partition.runs.size(); run > oldest && !value_.Done(); --run) {
      BETR_RETURN_IF_ERROR(LookInView(edge.partition.runs[run - 1], run - 1, step));
    }
    return absl::OkStatus();
  }

  absl::Status LookInView(const BlockView& view, size_t run, RouteStep& step) {
    if (!view.clip.Contains(step.key)) return absl::OkStatus();
    BETR_ASSIGN_OR_RETURN(ViewReader reader, ViewReader::Open(view));
    reader.SeekForward(Bound::At(step.key));
    if (!reader.Valid() || reader.Key() != step.key) return absl::OkStatus();
    for (size_t i = reader.GroupSize(); i > 0 && !value_.Done(); --i) {
      const Message message = reader.At(i - 1);
      step.messages.push_back({run, message.kind, message.function, std::string(message.value)});
      value_.Add(message);
    }
    return absl::OkStatus();
  }

  const NodeTable& table_;
  Route& route_;
  ValueBuilder value_;
};

}  // namespace

Route Explain(const NodeTable& table, NodeId root, std::string_view key, const UpsertRegistry& functions) {
  Route route;
  Explainer explainer(table, route);
  route.status = explainer.Run(root, std::string(key));
  if (route.status.ok()) {
    absl::StatusOr<std::optional<std::string>> value = explainer.Value(functions, key);
    route.status = value.status();
    route.value = value.ok() ? *std::move(value) : std::nullopt;
  }
  return route;
}

}  // namespace betr::dag
