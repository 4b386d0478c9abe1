// SPDX-License-Identifier: Apache-2.0
// betrdump node: one node with all that is in it.
#include <fmt/format.h>

#include <optional>

#include "base/status.h"
#include "dump_command.h"
#include "dump_text.h"
#include "store/slots.h"

namespace betr::tools {
namespace {

constexpr size_t kShownValue = 64;

// Returns how a block is stored. Null if it is in memory only.
const layout::BlockEntry* StoredEntry(const dag::BlockView& view) {
  const auto* slot = dynamic_cast<const store::StoredBlockSlot*>(view.slot.get());
  return slot == nullptr ? nullptr : &slot->entry();
}

std::string ViewText(const dag::BlockView& view) {
  std::string text = fmt::format("{} {} entries, ", ToString(view.clip), view.Count());
  if (const uint64_t erases = view.slot->Erases().value_or(0); erases > 0) {
    text += fmt::format("{} of them erases, ", erases);
  }
  text += fmt::format("{} bytes", view.Size().value);
  if (const layout::BlockEntry* entry = StoredEntry(view)) {
    text += fmt::format(", {} bytes stored ({}) at byte {}", entry->stored_size.value,
                        CompressionName(entry->compression), entry->offset.value);
  }
  if (!view.affix.Identity()) text += fmt::format(", {} => {}", KeyText(view.affix.strip), KeyText(view.affix.prepend));
  return text;
}

Json ViewJson(const dag::BlockView& view) {
  Json json = Json::object();
  json["clip"] = RangeJson(view.clip);
  json["entries"] = view.Count();
  if (const std::optional<uint64_t> erases = view.slot->Erases()) json["erases"] = *erases;
  json["size"] = view.Size().value;
  if (const layout::BlockEntry* entry = StoredEntry(view)) {
    json["stored_size"] = entry->stored_size.value;
    json["offset"] = entry->offset.value;
    json["compression"] = CompressionName(entry->compression);
  }
  json["strip"] = JsonText(view.affix.strip);
  json["prepend"] = JsonText(view.affix.prepend);
  return json;
}

// Calls `visit(key, message)` for what a view shows, in order.
template <class Visit>
absl::Status ForEachEntry(const dag::BlockView& view, const Visit& visit) {
  BETR_ASSIGN_OR_RETURN(dag::ViewReader reader, dag::ViewReader::Open(view));
  for (reader.SeekForward(view.clip.lo); reader.Valid(); reader.Next()) {
    for (size_t i = 0; i < reader.GroupSize(); ++i) visit(reader.Key(), reader.At(i));
  }
  return absl::OkStatus();
}

class NodePrinter {
 public:
  NodePrinter(std::ostream& out, bool with_keys) : out_(out), with_keys_(with_keys) {}

  absl::Status Print(const dag::Node& node) {
    out_ << fmt::format("bounds {}, {} bytes, {}\n", ToString(node.bounds), node.Size().value, FormatCodec(node.codec));
    if (!node.Leaf() && node.known_entries.Known()) {
      out_ << fmt::format("about {} entries in the leaves below\n", node.known_entries.Value());
    }
    for (size_t i = 0; i < node.edges.size(); ++i) {
      const dag::Edge& edge = node.edges[i];
      out_ << fmt::format("edge {}: {} -> {}\n", i, ToString(edge.link.range), LinkText(edge.link));
      BETR_RETURN_IF_ERROR(PrintPartition(edge.partition));
    }
    for (size_t i = 0; i < node.basements.size(); ++i) {
      out_ << fmt::format("basement {}: {}\n", i, ViewText(node.basements[i]));
      BETR_RETURN_IF_ERROR(PrintEntries(node.basements[i]));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status PrintPartition(const dag::Partition& partition) {
    for (const dag::Goto& message : partition.gotos) {
      out_ << fmt::format("  goto {} -> {}, height {}, over {} runs\n", ToString(message.link.range),
                          LinkText(message.link), message.target_height, message.over);
    }
    for (size_t i = 0; i < partition.runs.size(); ++i) {
      out_ << fmt::format("  run {}: {}\n", i, ViewText(partition.runs[i]));
      BETR_RETURN_IF_ERROR(PrintEntries(partition.runs[i]));
    }
    return absl::OkStatus();
  }

  absl::Status PrintEntries(const dag::BlockView& view) {
    if (!with_keys_) return absl::OkStatus();
    return ForEachEntry(view, [&](std::string_view key, const dag::Message& message) {
      out_ << fmt::format("    {} {}{}{}\n", KeyText(key), MessageText(message), message.value.empty() ? "" : " ",
                          message.value.empty() ? "" : KeyText(message.value, kShownValue));
    });
  }

  std::ostream& out_;
  const bool with_keys_;
};

class NodeJson {
 public:
  explicit NodeJson(bool with_keys) : with_keys_(with_keys) {}

  absl::Status Fill(const dag::Node& node, Json& json) {
    json["bounds"] = RangeJson(node.bounds);
    json["size"] = node.Size().value;
    if (node.known_entries.Known()) json["known_entries"] = node.known_entries.Value();
    json["compression"] = FormatCodec(node.codec);
    if (node.Leaf()) return AddViews(node.basements, json["basements"]);
    json["edges"] = Json::array();
    for (const dag::Edge& edge : node.edges) {
      Json entry = LinkJson(edge.link);
      entry["gotos"] = Json::array();
      for (const dag::Goto& message : edge.partition.gotos) {
        Json goto_json = LinkJson(message.link);
        goto_json["height"] = message.target_height;
        goto_json["over"] = message.over;
        entry["gotos"].push_back(std::move(goto_json));
      }
      BETR_RETURN_IF_ERROR(AddViews(edge.partition.runs, entry["runs"]));
      json["edges"].push_back(std::move(entry));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddViews(const std::vector<dag::BlockView>& views, Json& array) {
    array = Json::array();
    for (const dag::BlockView& view : views) {
      Json json = ViewJson(view);
      if (with_keys_) {
        json["content"] = Json::array();
        BETR_RETURN_IF_ERROR(ForEachEntry(view, [&](std::string_view key, const dag::Message& message) {
          json["content"].push_back(EntryJson(key, message));
        }));
      }
      array.push_back(std::move(json));
    }
    return absl::OkStatus();
  }

  static Json EntryJson(std::string_view key, const dag::Message& message) {
    Json json = Json::object();
    json["key"] = JsonText(key);
    json["kind"] = MessageName(message.kind);
    if (message.kind == dag::MessageKind::kUpsert) json["function"] = message.function;
    if (message.kind != dag::MessageKind::kErase) json["value"] = JsonText(message.value);
    return json;
  }

  const bool with_keys_;
};

class DumpNode final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("node", "One node: edges, gotos, runs of messages, basements");
    command->add_option("ID", id_, "The node's number")->required()->check(WholeNumber());
    command->add_flag("--keys", with_keys_, "Show the keys and values too");
    return command;
  }

  absl::Status Run(DumpContext& context) override {
    const NodeId id{id_};
    const dag::NodeRecord* record = context.image.state().table.Find(id);
    if (record == nullptr) return absl::NotFoundError(fmt::format("node {}: not in the node table", id_));
    const auto address = store::AddressOf(record);
    BETR_ASSIGN_OR_RETURN(const dag::NodePtr node, dag::LoadNode(context.image.state().table, id));
    if (context.json) {
      Json json = NewDocument("node");
      json["id"] = id_;
      json["height"] = node->height;
      json["references"] = record->references;
      json["extent"] = address ? ExtentJson(address->extent->address()) : Json();
      BETR_RETURN_IF_ERROR(NodeJson(with_keys_).Fill(*node, json));
      PrintJson(context.out, json);
      return absl::OkStatus();
    }
    context.out << fmt::format(
        "node {}: height {}, {} references, {}\n", id_, node->height, record->references,
        address ? fmt::format("{}, {} of them header, write version {}", layout::ToString(address->extent->address()),
                              address->header_units, address->version)
                : "in memory only");
    return NodePrinter(context.out, with_keys_).Print(*node);
  }

 private:
  uint64_t id_ = 0;
  bool with_keys_ = false;
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpNode() { return std::make_unique<DumpNode>(); }

}  // namespace betr::tools
