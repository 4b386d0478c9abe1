// SPDX-License-Identifier: Apache-2.0
// betrdump tree: a tree from its root down, each node where it is met first.
#include <fmt/format.h>

#include <set>

#include "base/size_text.h"
#include "base/status.h"
#include "dump_command.h"
#include "dump_text.h"

namespace betr::tools {
namespace {

// Says what an edge buffers. Empty if that is nothing.
std::string PartitionText(const dag::Partition& partition) {
  if (partition.Empty()) return "";
  return fmt::format("  {} runs, {} gotos, {} bytes", partition.runs.size(), partition.gotos.size(),
                     partition.Size().value);
}

absl::Status NotInTable(NodeId id) {
  return absl::DataLossError(fmt::format("node {}: not in the node table", id.value));
}

class TreePrinter {
 public:
  TreePrinter(const store::State& state, size_t depth, std::ostream& out) : state_(state), depth_(depth), out_(out) {}

  void Print(NodeId id, size_t level) {
    const std::string indent(2 * level, ' ');
    const dag::NodeRecord* record = state_.table.Find(id);
    if (record == nullptr) {
      out_ << fmt::format("{}node {}: not in the node table\n", indent, id.value);
      damage_.Update(NotInTable(id));
      return;
    }
    out_ << fmt::format("{}node {}: height {}, {} references", indent, id.value, record->height, record->references);
    const bool is_new = seen_.insert(id).second;
    if (!is_new || level >= depth_) {
      out_ << (is_new ? "\n" : ", see above\n");
      return;
    }
    const absl::StatusOr<dag::NodePtr> node = dag::LoadNode(state_.table, id);
    if (!node.ok()) {
      out_ << ": " << node.status().message() << '\n';
      damage_.Update(node.status());
      return;
    }
    out_ << fmt::format(", {} {}, {} bytes\n", (*node)->Leaf() ? (*node)->basements.size() : (*node)->edges.size(),
                        (*node)->Leaf() ? "basements" : "edges", (*node)->Size().value);
    for (const dag::Edge& edge : (*node)->edges) PrintEdge(edge, indent, record->height, level);
  }

  // The error of the first node that could not be shown.
  const absl::Status& damage() const { return damage_; }

 private:
  void PrintEdge(const dag::Edge& edge, const std::string& indent, dag::Height height, size_t level) {
    out_ << fmt::format("{}  {} -> {}{}\n", indent, ToString(edge.link.range), LinkText(edge.link),
                        PartitionText(edge.partition));
    for (const dag::Goto& message : edge.partition.gotos) {
      out_ << fmt::format("{}    goto {} -> {}\n", indent, ToString(message.link.range), LinkText(message.link));
      Descend(message.link, height, level);
    }
    Descend(edge.link, height, level);
  }

  // A link that does not lead down is damage (fsck.betr says so), and is not followed.
  void Descend(const dag::Link& link, dag::Height height, size_t level) {
    const dag::NodeRecord* record = state_.table.Find(link.target);
    if (!link.Null() && (record == nullptr || record->height < height)) Print(link.target, level + 2);
  }

  const store::State& state_;
  const size_t depth_;  // counts two for each level of the DAG
  std::ostream& out_;
  std::set<NodeId> seen_;
  absl::Status damage_;
};

class TreeJson {
 public:
  TreeJson(const store::State& state, size_t depth) : state_(state), depth_(depth) {}

  Json Node(NodeId id, size_t level) {
    Json json = Json::object();
    json["id"] = id.value;
    const dag::NodeRecord* record = state_.table.Find(id);
    if (record == nullptr) {
      json["error"] = "not in the node table";
      damage_.Update(NotInTable(id));
      return json;
    }
    json["height"] = record->height;
    json["references"] = record->references;
    const bool is_new = seen_.insert(id).second;
    json["seen"] = !is_new;
    if (!is_new || level >= depth_) return json;
    const absl::StatusOr<dag::NodePtr> node = dag::LoadNode(state_.table, id);
    if (!node.ok()) {
      json["error"] = std::string(node.status().message());
      damage_.Update(node.status());
      return json;
    }
    json["size"] = (*node)->Size().value;
    json["bounds"] = RangeJson((*node)->bounds);
    if ((*node)->Leaf()) {
      json["basements"] = (*node)->basements.size();
      return json;
    }
    json["edges"] = Json::array();
    for (const dag::Edge& edge : (*node)->edges) json["edges"].push_back(EdgeJson(edge, record->height, level));
    return json;
  }

  // The error of the first node that could not be shown.
  const absl::Status& damage() const { return damage_; }

 private:
  Json EdgeJson(const dag::Edge& edge, dag::Height height, size_t level) {
    Json json = LinkJson(edge.link);
    json["runs"] = edge.partition.runs.size();
    json["buffered"] = edge.partition.Size().value;
    json["gotos"] = Json::array();
    for (const dag::Goto& message : edge.partition.gotos) {
      Json entry = LinkJson(message.link);
      Descend(message.link, height, level, entry);
      json["gotos"].push_back(std::move(entry));
    }
    Descend(edge.link, height, level, json);
    return json;
  }

  void Descend(const dag::Link& link, dag::Height height, size_t level, Json& json) {
    const dag::NodeRecord* record = state_.table.Find(link.target);
    if (!link.Null() && (record == nullptr || record->height < height)) json["node"] = Node(link.target, level + 1);
  }

  const store::State& state_;
  const size_t depth_;
  std::set<NodeId> seen_;
  absl::Status damage_;
};

class DumpTree final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("tree", "Trees from their roots down, edges and gotos included");
    command->add_option("NAME", name_, "Only this tree or snapshot");
    command->add_option("--depth", depth_, "How many levels below the root [all]")
        ->type_name("N")
        ->check(CLI::Range(0, 999).description(""));
    return command;
  }

  absl::Status Run(DumpContext& context) override {
    BETR_ASSIGN_OR_RETURN(const std::vector<store::Tree> trees, context.image.TreesNamed(name_));
    return context.json ? RunJson(context, trees) : RunText(context, trees);
  }

 private:
  absl::Status RunText(DumpContext& context, const std::vector<store::Tree>& trees) const {
    const size_t steps = depth_ > dag::kMaxHeight ? SIZE_MAX : 2 * (depth_ + 1);
    TreePrinter printer(context.image.state(), steps, context.out);
    for (const store::Tree& tree : trees) {
      context.out << fmt::format("tree {}: id {}, {}{}\n", KeyText(tree.name), tree.id.value, FormatCodec(tree.codec),
                                 tree.snapshot ? ", snapshot" : "");
      printer.Print(tree.root, 1);
    }
    return printer.damage();
  }

  absl::Status RunJson(DumpContext& context, const std::vector<store::Tree>& trees) const {
    TreeJson printer(context.image.state(), depth_ > dag::kMaxHeight ? SIZE_MAX : depth_ + 1);
    JsonArrayPrinter array(context.out, NewDocument("tree"), "trees");
    for (const store::Tree& tree : trees) {
      Json json = Json::object();
      json["name"] = JsonText(tree.name);
      json["id"] = tree.id.value;
      json["snapshot"] = tree.snapshot;
      json["root"] = printer.Node(tree.root, 0);
      array.Add(json);
    }
    array.Finish();
    return printer.damage();
  }

  std::string name_;
  size_t depth_ = SIZE_MAX;
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpTree() { return std::make_unique<DumpTree>(); }

}  // namespace betr::tools
