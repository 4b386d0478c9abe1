// SPDX-License-Identifier: Apache-2.0
// betrdump dot: the DAG as a drawing for Graphviz. A tree is a tab. A node is a box with one cell for each edge. A
// shared node is yellow, and says how often it is named. A link that translates keys is blue, and says how. A goto is
// red and dashed, and leaves from the cell of the edge whose place it will take.
#include <fmt/format.h>

#include <map>

#include "base/escape.h"
#include "base/size_text.h"
#include "base/status.h"
#include "dump_command.h"
#include "dump_text.h"
#include "dump_walk.h"

namespace betr::tools {
namespace {

constexpr size_t kShownKey = 20;
constexpr size_t kShownCells = 32;

// Returns the text with some characters replaced.
std::string Replaced(std::string_view text, const std::map<char, std::string_view>& replacements) {
  std::string replaced;
  for (const char c : text) {
    const auto found = replacements.find(c);
    replaced.append(found == replacements.end() ? std::string_view(&c, 1) : found->second);
  }
  return replaced;
}

std::string Html(std::string_view text) {
  return Replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}

// Escape leaves backslashes in, which dot would take for its own.
std::string Quoted(std::string_view text) { return "\"" + Replaced(text, {{'\\', "\\\\"}, {'"', "\\\""}}) + "\""; }

std::string Short(std::string_view key) {
  const std::string text = Escape(key.substr(0, kShownKey));
  return key.size() > kShownKey ? text + ".." : text;
}

std::string Short(const Bound& bound) {
  if (bound.bytes.empty()) return bound.past ? "+inf" : "-inf";
  return Short(bound.bytes) + (bound.past ? "^" : "");
}

class DotPrinter {
 public:
  DotPrinter(const store::State& state, std::ostream& out) : state_(state), out_(out) {}

  absl::Status Print(const std::vector<store::Tree>& trees) {
    out_ << "digraph betr {\n"
            "  graph [rankdir=TB, nodesep=0.3, ranksep=0.7, fontname=\"Helvetica\"];\n"
            "  node [shape=plain, fontname=\"Helvetica\", fontsize=10];\n"
            "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.6];\n";
    std::set<NodeId> roots;
    for (const store::Tree& tree : trees) {
      out_ << fmt::format("  tree{} [shape=tab, style=filled, fillcolor=\"{}\", label={}];\n", tree.id.value,
                          tree.snapshot ? "#dddddd" : "#cfe8cf",
                          Quoted(Short(tree.name) + (tree.snapshot ? " (snapshot)" : "")));
      out_ << fmt::format("  tree{} -> n{};\n", tree.id.value, tree.root.value);
      roots.insert(tree.root);
    }
    absl::Status status;
    WalkDag(state_, roots, [&](const WalkedNode& walked) {
      PrintNode(walked);
      status = status.ok() ? walked.node.status() : status;
    });
    PrintRanks();
    out_ << "}\n";
    return status;
  }

 private:
  void PrintNode(const WalkedNode& walked) {
    by_height_[walked.record.height].push_back(walked.id);
    if (!walked.node.ok()) {
      out_ << fmt::format("  n{} [shape=box, style=filled, fillcolor=\"#ff9999\", label=\"node {}: unreadable\"];\n",
                          walked.id.value, walked.id.value);
      return;
    }
    const dag::Node& node = **walked.node;
    const bool is_shared = walked.record.references > 1;
    const size_t cells = std::min(node.edges.size(), kShownCells);
    out_ << fmt::format(
        "  n{} [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" bgcolor=\"{}\"><tr>"
        "<td colspan=\"{}\"><b>{}</b>{}<br/>{}</td></tr>",
        walked.id.value,
        is_shared     ? "#ffe680"
        : node.Leaf() ? "#e8f0fe"
                      : "#ffffff",
        std::max<size_t>(1, cells), walked.id.value,
        is_shared ? fmt::format(" named {} times", walked.record.references) : "", Html(Content(node)));
    if (cells > 0) {
      out_ << "<tr>";
      for (size_t i = 0; i < cells; ++i) out_ << fmt::format("<td port=\"e{}\">{}</td>", i, Html(Cell(node.edges[i])));
      out_ << "</tr>";
    }
    out_ << "</table>>];\n";
    PrintLinks(walked.id, node);
  }

  static std::string Content(const dag::Node& node) {
    if (node.Leaf()) {
      return fmt::format("{} .. {}, {}", Short(node.bounds.lo), Short(node.bounds.hi), FormatSize(node.Size()));
    }
    return fmt::format("height {}, {} buffered", node.height, FormatSize(node.Size()));
  }

  static std::string Cell(const dag::Edge& edge) {
    std::string text = Short(edge.link.range.lo);
    size_t erases = 0;
    for (const dag::Goto& message : edge.partition.gotos) erases += message.Erases() ? 1 : 0;
    if (edge.link.Null()) text += " (null)";
    if (!edge.partition.runs.empty()) text += fmt::format(" +{}", edge.partition.runs.size());
    if (erases > 0) text += fmt::format(" -{}", erases);
    return text;
  }

  void PrintLinks(NodeId id, const dag::Node& node) {
    for (size_t i = 0; i < node.edges.size(); ++i) {
      const dag::Edge& edge = node.edges[i];
      const std::string from = fmt::format("n{}:e{}", id.value, std::min(i, kShownCells - 1));
      PrintLink(from, edge.link, "");
      for (const dag::Goto& message : edge.partition.gotos) {
        PrintLink(from, message.link, "style=dashed, color=\"#cc0000\", fontcolor=\"#cc0000\"");
      }
    }
  }

  void PrintLink(const std::string& from, const dag::Link& link, std::string_view style) {
    if (link.Null()) return;
    const std::string_view strip = link.range.Lcp();
    const bool is_goto = !style.empty();
    std::string label;
    if (is_goto) label = fmt::format("[{}, {}) ", Short(link.range.lo), Short(link.range.hi));
    std::string attributes(style);
    if (strip != link.translation) {
      label += fmt::format("{} → {}", strip.empty() ? "ε" : Short(strip),
                           link.translation.empty() ? "ε" : Short(link.translation));
      if (!is_goto && !link.translation.empty()) attributes = "color=\"#1a4fd0\", fontcolor=\"#1a4fd0\"";
    }
    if (!label.empty()) attributes += fmt::format("{}label={}", attributes.empty() ? "" : ", ", Quoted(label));
    out_ << fmt::format("  {} -> n{}{};\n", from, link.target.value,
                        attributes.empty() ? "" : fmt::format(" [{}]", attributes));
  }

  // Nodes of one height stand in one row.
  void PrintRanks() {
    for (const auto& [height, ids] : by_height_) {
      out_ << "  { rank=same;";
      for (const NodeId id : ids) {
        out_ << fmt::format(" n{};", id.value);
      }
      out_ << " }\n";
    }
  }

  const store::State& state_;
  std::ostream& out_;
  std::map<dag::Height, std::vector<NodeId>> by_height_;
};

Json ToJson(const store::State& state, const std::vector<store::Tree>& trees) {
  Json json = NewDocument("dot");
  json["nodes"] = Json::array();
  json["links"] = Json::array();
  json["trees"] = Json::array();
  std::set<NodeId> roots;
  for (const store::Tree& tree : trees) {
    roots.insert(tree.root);
    json["trees"].push_back({{"id", tree.id.value}, {"name", JsonText(tree.name)}, {"root", tree.root.value}});
  }
  const auto add_link = [&](NodeId from, const dag::Link& link, bool is_goto) {
    if (!link.Null()) {
      Json entry = LinkJson(link);
      entry["from"] = from.value;
      entry["goto"] = is_goto;
      json["links"].push_back(std::move(entry));
    }
  };
  WalkDag(state, roots, [&](const WalkedNode& walked) {
    json["nodes"].push_back({{"id", walked.id.value},
                             {"height", walked.record.height},
                             {"references", walked.record.references},
                             {"readable", walked.node.ok()}});
    for (size_t i = 0; walked.node.ok() && i < (*walked.node)->edges.size(); ++i) {
      const dag::Edge& edge = (*walked.node)->edges[i];
      add_link(walked.id, edge.link, false);
      for (const dag::Goto& message : edge.partition.gotos) add_link(walked.id, message.link, true);
    }
  });
  return json;
}

class DumpDot final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("dot", "The DAG for Graphviz: shared nodes, translations and gotos");
    command->add_option("NAME", name_, "Only this tree or snapshot");
    return command;
  }

  absl::Status Run(DumpContext& context) override {
    BETR_ASSIGN_OR_RETURN(const std::vector<store::Tree> trees, context.image.TreesNamed(name_));
    if (context.json) {
      PrintJson(context.out, ToJson(context.image.state(), trees));
      return absl::OkStatus();
    }
    return DotPrinter(context.image.state(), context.out).Print(trees);
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpDot() { return std::make_unique<DumpDot>(); }

}  // namespace betr::tools
