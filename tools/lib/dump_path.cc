// SPDX-License-Identifier: Apache-2.0
// betrdump path: the route of one key through the nodes, with every message that applies on the way.
#include <fmt/format.h>

#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "dump_command.h"
#include "dump_text.h"
#include "fs/key.h"

namespace betr::tools {
namespace {

// What one node has to say about the key.
struct Step {
  NodeId node;
  dag::Height height = 0;
  uint32_t references = 0;
  std::string local_key;
  struct Said {
    size_t run;  // of the partition; of a leaf, the basement
    dag::Message message;
    std::string value;  // owns what the message shows
  };
  std::vector<Said> said;             // newest first
  std::optional<size_t> edge;         // which edge the key takes; nothing in a leaf
  std::optional<dag::Goto> covering;  // the goto that takes it elsewhere
  std::optional<dag::Link> next;      // where it goes on
};

class Route {
 public:
  Route(const store::State& state, const UpsertRegistry& functions) : state_(state), functions_(functions) {}

  // As far as it can be followed. The error says why not further.
  absl::Status Follow(NodeId root, std::string_view key) {
    std::string local(key);
    NodeId id = root;
    while (!value_.Done()) {
      BETR_ASSIGN_OR_RETURN(const dag::NodePtr node, dag::LoadNode(state_.table, id));
      Step& step = steps_.emplace_back();
      step.node = id;
      step.height = node->height;
      step.references = state_.table.Find(id)->references;
      step.local_key = local;
      if (!node->bounds.Contains(local)) {
        return absl::DataLossError(
            fmt::format("node {}: {} is outside its bounds {}", id.value, KeyText(local), ToString(node->bounds)));
      }
      if (node->Leaf()) {
        return Look(*node, step);
      }
      BETR_RETURN_IF_ERROR(Look(node->edges[node->EdgeOf(local)], step));
      step.edge = node->EdgeOf(local);
      if (value_.Done() || step.next->Null()) {
        break;
      }
      BETR_RETURN_IF_ERROR(CheckDescent(step));
      local = step.next->Map(local);
      id = step.next->target;
    }
    return absl::OkStatus();
  }

  const std::vector<Step>& steps() const { return steps_; }
  std::optional<std::string> Value() {
    if (!value_.Done()) {
      value_.EndHere();
    }
    return value_.Resolve(functions_);
  }

 private:
  absl::Status Look(const dag::Node& leaf, Step& step) {
    const size_t basement = leaf.BasementOf(step.local_key);
    return basement < leaf.basements.size() ? Look(leaf.basements[basement], basement, step) : absl::OkStatus();
  }

  absl::Status Look(const dag::Edge& edge, Step& step) {
    const dag::Goto* covering = edge.partition.Covering(step.local_key);
    const size_t oldest = covering == nullptr ? 0 : covering->over;
    for (size_t i = edge.partition.runs.size(); i > oldest && !value_.Done(); --i) {
      BETR_RETURN_IF_ERROR(Look(edge.partition.runs[i - 1], i - 1, step));
    }
    if (covering != nullptr) {
      step.covering = *covering;
    }
    step.next = covering == nullptr ? edge.link : covering->link;
    return absl::OkStatus();
  }

  absl::Status Look(const dag::BlockView& view, size_t run, Step& step) {
    if (!view.clip.Contains(step.local_key)) {
      return absl::OkStatus();
    }
    BETR_ASSIGN_OR_RETURN(dag::ViewReader reader, dag::ViewReader::Open(view));
    reader.SeekForward(Bound::At(step.local_key));
    if (!reader.Valid() || reader.Key() != step.local_key) {
      return absl::OkStatus();
    }
    for (size_t i = reader.GroupSize(); i > 0 && !value_.Done(); --i) {
      const dag::Message message = reader.At(i - 1);
      step.said.push_back({run, message, std::string(message.value)});
      value_.Add(message);
    }
    return absl::OkStatus();
  }

  absl::Status CheckDescent(const Step& step) const {
    const dag::NodeRecord* record = state_.table.Find(step.next->target);
    if (record != nullptr && record->height >= step.height) {
      return absl::DataLossError(
          fmt::format("node {}: leads to node {}, which is not below it", step.node.value, step.next->target.value));
    }
    return absl::OkStatus();
  }

  const store::State& state_;
  const UpsertRegistry& functions_;
  dag::ValueBuilder value_;
  std::vector<Step> steps_;
};

void PrintStep(const Step& step, std::ostream& out) {
  out << fmt::format("node {}: height {}, {} references, key {}\n", step.node.value, step.height, step.references,
                     KeyText(step.local_key));
  for (const Step::Said& said : step.said) {
    constexpr size_t kShown = 64;
    out << fmt::format("  {} {}: {}{}\n", step.edge ? "run" : "basement", said.run, MessageText(said.message),
                       said.value.empty() ? "" : " " + KeyText(said.value, kShown));
  }
  if (step.covering) {
    out << fmt::format("  goto {} -> {}, over {} runs of edge {}\n", ToString(step.covering->link.range),
                       LinkText(step.covering->link), step.covering->over, *step.edge);
  } else if (step.edge) {
    out << fmt::format("  edge {}: {} -> {}\n", *step.edge, ToString(step.next->range), LinkText(*step.next));
  }
}

Json StepJson(const Step& step) {
  Json json = Json::object();
  json["node"] = step.node.value;
  json["height"] = step.height;
  json["references"] = step.references;
  json["key"] = JsonText(step.local_key);
  json["messages"] = Json::array();
  for (const Step::Said& said : step.said) {
    Json entry = Json::object();
    entry[step.edge ? "run" : "basement"] = said.run;
    entry["kind"] = MessageName(said.message.kind);
    if (said.message.kind == dag::MessageKind::kUpsert) {
      entry["function"] = said.message.function;
    }
    if (said.message.kind != dag::MessageKind::kErase) {
      entry["value"] = JsonText(said.value);
    }
    json["messages"].push_back(std::move(entry));
  }
  if (step.edge) {
    json["edge"] = *step.edge;
    json["goto"] = step.covering.has_value();
    json["link"] = LinkJson(*step.next);
  }
  return json;
}

// The key of a path's entry, or of a block of its content.
std::string KeyOfPath(std::string_view path, bool is_data, uint64_t block) {
  std::string content;
  std::string object(fs::key::kRootObject);
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (name.empty() || name == ".") {
      continue;
    }
    object = fs::key::Entry(content, name);
    content = fs::key::Content(content, name);
  }
  return is_data ? fs::key::Block(object, block) : object;
}

class DumpPath final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("path", "The route of a key, with every message that applies on the way");
    command->add_option("TREE", tree_, "The tree or snapshot")->required();
    command->add_option("KEY", key_, "The key, escaped; or /a/path of the file system's trees")->required();
    command->add_flag("--raw", is_raw_, "A KEY that begins with a slash is a key nevertheless");
    command->add_option("--block", block_, "Of the content of a path, in the tree \"data\" [0]");
    return command;
  }

  absl::Status Run(DumpContext& context) override {
    BETR_ASSIGN_OR_RETURN(const store::Tree tree, context.image.FindTree(tree_));
    BETR_ASSIGN_OR_RETURN(const std::string key, Key());
    UpsertRegistry functions;
    BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&functions));
    Route route(context.image.state(), functions);
    const absl::Status status = route.Follow(tree.root, key);
    if (context.json) {
      PrintJson(context.out, ToJson(key, route, status.ok()));
    } else {
      PrintText(key, route, status.ok(), context.out);
    }
    return status;
  }

 private:
  absl::StatusOr<std::string> Key() const {
    if (!is_raw_ && key_.starts_with('/')) {
      return KeyOfPath(key_, tree_ == kDataTree, block_);
    }
    return Unescape(key_);
  }

  static void PrintText(const std::string& key, Route& route, bool is_complete, std::ostream& out) {
    out << fmt::format("key {}\n", KeyText(key));
    for (const Step& step : route.steps()) {
      PrintStep(step, out);
    }
    if (is_complete) {
      const std::optional<std::string> value = route.Value();
      out << (value ? fmt::format("value: {} bytes\n", value->size()) : "no value\n");
    }
  }

  static Json ToJson(const std::string& key, Route& route, bool is_complete) {
    Json json = NewDocument("path");
    json["key"] = JsonText(key);
    json["steps"] = Json::array();
    for (const Step& step : route.steps()) {
      json["steps"].push_back(StepJson(step));
    }
    json["complete"] = is_complete;
    if (is_complete) {
      const std::optional<std::string> value = route.Value();
      json["value"] = value ? JsonText(*value) : Json();
    }
    return json;
  }

  std::string tree_;
  std::string key_;
  bool is_raw_ = false;
  uint64_t block_ = 0;
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpPath() { return std::make_unique<DumpPath>(); }

}  // namespace betr::tools
