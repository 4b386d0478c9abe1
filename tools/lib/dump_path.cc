// SPDX-License-Identifier: Apache-2.0
// betrdump path: the route of one key through the nodes, with every message that applies on the way.
#include <absl/functional/function_ref.h>
#include <fmt/format.h>

#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "dag/explain.h"
#include "dump_command.h"
#include "dump_text.h"
#include "file_text.h"
#include "fs/key.h"
#include "fs/record.h"

namespace betr::tools {
namespace {

void PrintStep(const dag::RouteStep& step, std::ostream& out) {
  out << fmt::format("node {}: height {}, {} references, key {}\n", step.node.value, step.height, step.references,
                     KeyText(step.key));
  for (const dag::RouteMessage& message : step.messages) {
    constexpr size_t kShown = 64;
    out << fmt::format("  {} {}: {}{}\n", step.Leaf() ? "basement" : "run", message.run,
                       MessageText({message.kind, message.function, message.value}),
                       message.value.empty() ? "" : " " + KeyText(message.value, kShown));
  }
  if (step.covering) {
    out << fmt::format("  goto {} -> {}, over {} runs of edge {}\n", ToString(step.covering->link.range),
                       LinkText(step.covering->link), step.covering->over, step.edge);
  } else if (!step.Leaf()) {
    out << fmt::format("  edge {}: {} -> {}\n", step.edge, ToString(step.link.range), LinkText(step.link));
  }
}

Json StepJson(const dag::RouteStep& step) {
  Json json = Json::object();
  json["node"] = step.node.value;
  json["height"] = step.height;
  json["references"] = step.references;
  json["key"] = JsonText(step.key);
  json["messages"] = Json::array();
  for (const dag::RouteMessage& message : step.messages) {
    Json entry = Json::object();
    entry[step.Leaf() ? "basement" : "run"] = message.run;
    entry["kind"] = MessageName(message.kind);
    if (message.kind == dag::MessageKind::kUpsert) {
      entry["function"] = message.function;
    }
    if (message.kind != dag::MessageKind::kErase) {
      entry["value"] = JsonText(message.value);
    }
    json["messages"].push_back(std::move(entry));
  }
  if (!step.Leaf()) {
    json["edge"] = step.edge;
    json["goto"] = step.covering.has_value();
    json["link"] = LinkJson(step.link);
  }
  return json;
}

// The zone that a directory is the root of, by its entry in a tree of records; 0 if that says nothing of the kind.
uint64_t ZoneAt(const DumpContext& context, NodeId records, const std::string& entry, const UpsertRegistry& functions) {
  const dag::Route route = dag::Explain(context.image.state().table, records, entry, functions);
  const absl::StatusOr<fs::EntryRecord> record = fs::DecodeEntry(route.value.value_or(""), "entry");
  const auto* const inode = record.ok() ? std::get_if<fs::InodeRecord>(&*record) : nullptr;
  return inode != nullptr ? inode->zone : 0;
}

// The key of a path's entry, or of a block of its content. `zone_at` says which zone a directory is the root of.
std::string KeyOfPath(std::string_view path, bool is_data, uint64_t block,
                      absl::FunctionRef<uint64_t(const std::string&)> zone_at) {
  std::string content;
  std::string object(fs::key::kRootObject);
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (name.empty() || name == ".") {
      continue;
    }
    object = fs::key::Entry(content, name);
    const uint64_t zone = path.empty() ? 0 : zone_at(object);
    content = zone != 0 ? fs::key::Zone(zone) : fs::key::Content(content, name);
  }
  return is_data ? fs::key::Block(object, block) : object;
}

// What the entry of a path says of its file; empty if the value is none, as in trees of no file system.
std::string EntryText(std::string_view value) {
  const absl::StatusOr<fs::EntryRecord> entry = fs::DecodeEntry(value, "entry");
  if (!entry.ok()) {
    return {};
  }
  if (const auto* reference = std::get_if<fs::Reference>(&*entry)) {
    return fmt::format("entry: {}, group {} of the next link home above\n", TypeName(reference->type), reference->id);
  }
  const auto& inode = std::get<fs::InodeRecord>(*entry);
  return fmt::format("entry: {}, owner {}:{}, links {}, size {}, number {}, xattrs {}\n",
                     ModeText(fs::AttributesOf(inode, {})), inode.uid, inode.gid, inode.links, inode.size, inode.number,
                     inode.xattrs.size());
}

class DumpPath final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("path", "The route of a key, with every message that applies on the way");
    command->add_option("TREE", tree_, "The tree or snapshot")->required();
    command->add_option("KEY", key_, "The key, escaped; or /a/path of the file system's trees")->required();
    command->add_flag("--raw", is_raw_, "A KEY that begins with a slash is a key nevertheless");
    command->add_option("--block", block_, "Of the content of a path, in the tree \"data\" [0]")->check(WholeNumber());
    return command;
  }

  std::optional<std::string> FindMistake() const override {
    if (block_ && !(IsPath() && tree_ == kDataTree)) {
      return "--block: only with a path of the file system in the tree \"data\"";
    }
    if (IsPath()) return std::nullopt;
    const absl::Status key = Unescape(key_).status();
    return key.ok() ? std::nullopt : std::optional("KEY: " + MessageOf(key));
  }

  absl::Status Run(DumpContext& context) override {
    BETR_ASSIGN_OR_RETURN(const store::Tree tree, context.image.FindTree(tree_));
    UpsertRegistry functions;
    BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&functions));
    const absl::StatusOr<store::Tree> records = tree_ == kDataTree ? context.image.FindTree(kMetaTree) : tree;
    BETR_ASSIGN_OR_RETURN(const std::string key, Key([&](const std::string& entry) {
                            return records.ok() ? ZoneAt(context, records->root, entry, functions) : 0;
                          }));
    const dag::Route route = dag::Explain(context.image.state().table, tree.root, key, functions);
    if (context.json) {
      PrintJson(context.out, ToJson(key, route));
    } else {
      PrintText(key, route, context.out);
      if (IsPath() && tree_ != kDataTree && route.value) {
        context.out << EntryText(*route.value);
      }
    }
    return route.status;
  }

 private:
  bool IsPath() const { return !is_raw_ && key_.starts_with('/'); }

  absl::StatusOr<std::string> Key(absl::FunctionRef<uint64_t(const std::string&)> zone_at) const {
    if (IsPath()) {
      return KeyOfPath(key_, tree_ == kDataTree, block_.value_or(0), zone_at);
    }
    return Unescape(key_);
  }

  static void PrintText(const std::string& key, const dag::Route& route, std::ostream& out) {
    out << fmt::format("key {}\n", KeyText(key));
    for (const dag::RouteStep& step : route.steps) {
      PrintStep(step, out);
    }
    if (route.status.ok()) {
      out << (route.value ? fmt::format("value: {} bytes\n", route.value->size()) : "no value\n");
    }
  }

  static Json ToJson(const std::string& key, const dag::Route& route) {
    Json json = NewDocument("path");
    json["key"] = JsonText(key);
    json["steps"] = Json::array();
    for (const dag::RouteStep& step : route.steps) {
      json["steps"].push_back(StepJson(step));
    }
    json["complete"] = route.status.ok();
    if (route.status.ok()) {
      json["value"] = route.value ? JsonText(*route.value) : Json();
    }
    return json;
  }

  std::string tree_;
  std::string key_;
  bool is_raw_ = false;
  std::optional<uint64_t> block_;
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpPath() { return std::make_unique<DumpPath>(); }

}  // namespace betr::tools
