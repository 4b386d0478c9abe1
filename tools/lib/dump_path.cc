// SPDX-License-Identifier: Apache-2.0
// betrdump path: the route of one key through the nodes, with every message that applies on the way.
#include <fmt/format.h>

#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "dag/read/explain.h"
#include "dump_command.h"
#include "dump_text.h"
#include "file_text.h"
#include "fs/record.h"
#include "path_keys.h"

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
    if (message.kind == dag::MessageKind::kUpsert) entry["function"] = message.function;
    if (message.kind != dag::MessageKind::kErase) entry["value"] = JsonText(message.value);
    json["messages"].push_back(std::move(entry));
  }
  if (!step.Leaf()) {
    json["edge"] = step.edge;
    json["goto"] = step.covering.has_value();
    json["link"] = LinkJson(step.link);
  }
  return json;
}

// Tells what the entry of a path says about its file.
std::string EntryText(const fs::EntryRecord& entry) {
  if (const auto* reference = std::get_if<fs::Reference>(&entry)) {
    return fmt::format("entry: {}, group {} of the next link home above\n", TypeName(reference->type), reference->id);
  }
  const auto& inode = std::get<fs::InodeRecord>(entry);
  return fmt::format("entry: {}, owner {}:{}, links {}, size {}, number {}, xattrs {}\n",
                     ModeText(fs::AttributesOf(inode, {})), inode.uid, inode.gid, inode.links, inode.size, inode.number,
                     inode.xattrs.size());
}

// The same as JSON. What betrcp --list --json shows too has the same names here.
Json EntryJson(const fs::EntryRecord& entry) {
  Json json = Json::object();
  if (const auto* reference = std::get_if<fs::Reference>(&entry)) {
    json["type"] = TypeName(reference->type);
    json["group"] = reference->id;
    return json;
  }
  const auto& inode = std::get<fs::InodeRecord>(entry);
  json["type"] = TypeName(inode.type);
  json["mode"] = fmt::format("{:04o}", inode.permissions);
  json["uid"] = inode.uid;
  json["gid"] = inode.gid;
  json["links"] = inode.links;
  json["size"] = inode.size;
  json["number"] = inode.number;
  json["xattrs"] = inode.xattrs.size();
  return json;
}

class DumpPath final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("path", "The route of a key, with every message that applies on the way");
    command->add_option("TREE", tree_, "The tree or snapshot")->required();
    command->add_option("KEY", key_, "The key, escaped; or /a/path of the file system's trees")->required();
    command->add_flag("--raw", is_raw_, "A KEY that begins with a slash is a key nevertheless");
    command->add_option("--block", block_, "Of the content of a path, in the tree \"data\" [0]")
        ->type_name("N")
        ->check(WholeNumber());
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
    PathKeys paths(context.image.state().table, records.ok() ? std::optional(records->root) : std::nullopt, functions);
    BETR_ASSIGN_OR_RETURN(const std::string key, Key(&paths));
    const dag::Route route = dag::Explain(context.image.state().table, tree.root, key, functions);
    if (context.json) {
      PrintJson(context.out, ToJson(key, route));
    } else {
      PrintText(key, route, context.out);
    }
    return route.status.ok() ? paths.status() : route.status;
  }

 private:
  bool IsPath() const { return !is_raw_ && key_.starts_with('/'); }

  absl::StatusOr<std::string> Key(PathKeys* paths) const {
    if (IsPath()) return tree_ == kDataTree ? paths->Block(key_, block_.value_or(0)) : paths->Entry(key_);
    return Unescape(key_);
  }

  // Returns the entry that the value is. Nothing if it is none, as in trees of no file system.
  std::optional<fs::EntryRecord> EntryOf(const dag::Route& route) const {
    if (!IsPath() || tree_ == kDataTree || !route.value) return std::nullopt;
    const absl::StatusOr<fs::EntryRecord> entry = fs::DecodeEntry(*route.value, "entry");
    return entry.ok() ? std::optional(*entry) : std::nullopt;
  }

  void PrintText(const std::string& key, const dag::Route& route, std::ostream& out) const {
    out << fmt::format("key {}\n", KeyText(key));
    for (const dag::RouteStep& step : route.steps) PrintStep(step, out);
    if (route.status.ok()) out << (route.value ? fmt::format("value: {} bytes\n", route.value->size()) : "no value\n");
    if (const std::optional<fs::EntryRecord> entry = EntryOf(route)) out << EntryText(*entry);
  }

  Json ToJson(const std::string& key, const dag::Route& route) const {
    Json json = NewDocument("path");
    json["key"] = JsonText(key);
    json["steps"] = Json::array();
    for (const dag::RouteStep& step : route.steps) json["steps"].push_back(StepJson(step));
    json["complete"] = route.status.ok();
    if (route.status.ok()) json["value"] = route.value ? JsonText(*route.value) : Json();
    if (const std::optional<fs::EntryRecord> entry = EntryOf(route)) json["entry"] = EntryJson(*entry);
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
