// SPDX-License-Identifier: Apache-2.0
// betrdump super: both superblocks, and the catalog that the newer one names.
#include <fmt/format.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/percent_text.h"
#include "base/size_text.h"
#include "dump_command.h"
#include "dump_text.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "store/headroom.h"

namespace betr::tools {
namespace {

std::string StructureText(const layout::StructureAddress& address) {
  return address.extent.Nowhere()
             ? "none"
             : fmt::format("{}, checksum {:016x}", layout::ToString(address.extent), address.checksum);
}

std::string CatalogText(const layout::CatalogAddress& address) {
  return address.Nowhere() ? "none"
                           : fmt::format("{} and {}, checksum {:016x}", layout::ToString(address.copies[0]),
                                         layout::ToString(address.copies[1]), address.checksum);
}

void PrintText(const layout::Superblock& block, std::ostream& out) {
  const auto line = [&](std::string_view name, const std::string& value) {
    out << fmt::format("  {:<20} {}\n", name, value);
  };
  line("uuid", FormatUuid(block.uuid));
  line("label", KeyText(block.label));
  line("format", fmt::format("{}.{}", layout::kFormatMajor, block.minor_version));
  line("features",
       fmt::format("compatible {:x}, read-only compatible {:x}, incompatible {:x}", block.features.compatible,
                   block.features.read_only_compatible, block.features.incompatible));
  line("generation", fmt::format("{}", block.generation.value));
  line("size", fmt::format("{} ({} units)", FormatSize(layout::UnitBytes(block.device_units)), block.device_units));
  line("log", fmt::format("{} at unit {}, {} units", FormatSize(layout::UnitBytes(block.log.units)), block.log.start,
                          block.log.units));
  line("node size", FormatSize(block.node_size));
  line("basement size", FormatSize(block.basement_size));
  line("fanout", fmt::format("{}", block.fanout));
  line("compression", FormatCodec(block.codec));
  line("reserve", fmt::format("{} ({})", FormatSize(store::ReserveOf(block)),
                              block.reserve.value == 0 ? "default" : FormatPercent(block.reserve)));
  line("checkpoint LSN", fmt::format("{}", block.checkpoint_lsn.value));
  line("log head", fmt::format("frame {}, chain {:016x}", block.log_head, block.log_chain));
  line("log opening", block.log_opening == 0 ? "not ended" : fmt::format("{} (ended cleanly)", block.log_opening));
  line("next node", fmt::format("{}", block.next_node_id.value));
  line("next tree", fmt::format("{}", block.next_tree_id.value));
  line("write versions",
       fmt::format("{} to {}, session from {}", block.FirstVersion(), block.next_version, block.session_version));
  line("node table", fmt::format("{} nodes, root of level {}: {}", block.table.nodes, block.table.level,
                                 StructureText(block.table.root)));
  line("catalog", CatalogText(block.catalog));
  line("made", fmt::format("{} by {}", FormatTime(block.made_at), Escape(block.made_by)));
}

Json StructureJson(const layout::StructureAddress& address) {
  Json json = ExtentJson(address.extent);
  json["checksum"] = fmt::format("{:016x}", address.checksum);
  return json;
}

Json CatalogAddressJson(const layout::CatalogAddress& address) {
  Json json = Json::object();
  json["copies"] = Json::array();
  for (const layout::ExtentAddress& copy : address.copies) json["copies"].push_back(ExtentJson(copy));
  json["checksum"] = fmt::format("{:016x}", address.checksum);
  return json;
}

Json ToJson(const layout::Superblock& block) {
  Json json = Json::object();
  json["uuid"] = FormatUuid(block.uuid);
  json["label"] = JsonText(block.label);
  json["format_major"] = layout::kFormatMajor;
  json["format_minor"] = block.minor_version;
  json["features"] = {{"compatible", block.features.compatible},
                      {"read_only_compatible", block.features.read_only_compatible},
                      {"incompatible", block.features.incompatible}};
  json["generation"] = block.generation.value;
  json["device_units"] = block.device_units;
  json["log_unit"] = block.log.start;
  json["log_units"] = block.log.units;
  json["node_size"] = block.node_size.value;
  json["basement_size"] = block.basement_size.value;
  json["fanout"] = block.fanout;
  json["compression"] = FormatCodec(block.codec);
  json["checkpoint_lsn"] = block.checkpoint_lsn.value;
  json["log_head"] = block.log_head;
  json["log_chain"] = fmt::format("{:016x}", block.log_chain);
  json["log_opening"] = block.log_opening;
  json["next_node_id"] = block.next_node_id.value;
  json["next_tree_id"] = block.next_tree_id.value;
  json["next_version"] = block.next_version;
  json["session_version"] = block.session_version;
  json["first_version"] = block.FirstVersion();
  json["reserve"] = store::ReserveOf(block).value;
  json["reserve_percent"] = block.reserve.value == 0 ? Json() : Json(block.reserve.value / 100.0);
  json["nodes"] = block.table.nodes;
  json["table_level"] = block.table.level;
  json["table"] = StructureJson(block.table.root);
  json["catalog"] = CatalogAddressJson(block.catalog);
  json["made_at"] = FormatTime(block.made_at);
  json["made_by"] = JsonText(block.made_by);
  return json;
}

Json CatalogJson(const layout::Catalog& catalog) {
  Json json = Json::object();
  json["trees"] = Json::array();
  for (const layout::CatalogTree& tree : catalog.trees) {
    json["trees"].push_back({{"id", tree.id.value},
                             {"name", JsonText(tree.name)},
                             {"root", tree.root.value},
                             {"compression", FormatCodec(tree.codec)},
                             {"snapshot", tree.snapshot}});
  }
  json["functions"] = Json::array();
  for (const auto& [number, name] : catalog.functions) {
    json["functions"].push_back({{"number", number}, {"name", JsonText(name)}});
  }
  return json;
}

void PrintCatalog(const layout::StoredCatalog& stored, std::ostream& out) {
  out << "catalog:\n";
  for (const absl::Status& copy : stored.copies) {
    if (!copy.ok()) out << fmt::format("  one copy is damaged: {}\n", std::string(copy.message()));
  }
  for (const layout::CatalogTree& tree : stored.catalog.trees) {
    out << fmt::format("  tree {:<5} {:<24} root node {}, {}{}\n", tree.id.value, KeyText(tree.name), tree.root.value,
                       FormatCodec(tree.codec), tree.snapshot ? ", snapshot" : "");
  }
  for (const auto& [number, name] : stored.catalog.functions) {
    out << fmt::format("  upsert {:<3} {}\n", number, KeyText(name));
  }
}

class DumpSuper final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    return app.add_subcommand("super", "The superblocks, the trees and the upsert functions");
  }

  absl::Status Run(DumpContext& context) override {
    const auto slots = layout::ReadSlots(context.image.inspection().device());
    if (context.json) {
      PrintJson(context.out, Document(context, slots));
      return absl::OkStatus();
    }
    for (size_t slot = 0; slot < slots.size(); ++slot) {
      const bool is_newest = slot == context.image.inspection().slot();
      context.out << fmt::format("slot {} at byte {}{}:\n", slot, layout::kSlotOffset[slot].value,
                                 is_newest ? " (newest)" : "");
      if (slots[slot].ok()) {
        PrintText(*slots[slot], context.out);
      } else if (absl::IsNotFound(slots[slot].status())) {
        context.out << "  empty\n";
      } else {
        context.out << "  " << slots[slot].status().message() << '\n';
      }
    }
    PrintCopy(context);
    PrintCatalog(context.image.inspection().catalog(), context.out);
    return absl::OkStatus();
  }

 private:
  using Copy = std::optional<layout::Superblock>;

  // Reads the copy of the newest superblock, which is there for repair.
  static absl::StatusOr<Copy> ReadCopy(DumpContext& context) {
    store::Inspection& image = context.image.inspection();
    return layout::ReadCopy(image.device(), image.superblock().CopyUnit());
  }

  // Prints only where the copy is, and how old. All else is as in the slot of its generation.
  static void PrintCopy(DumpContext& context) {
    const uint64_t unit = context.image.inspection().superblock().CopyUnit();
    const absl::StatusOr<Copy> copy = ReadCopy(context);
    context.out << fmt::format("copy at unit {}: ", unit);
    if (!copy.ok()) {
      context.out << copy.status().message() << '\n';
    } else if (!copy->has_value()) {
      context.out << "none\n";
    } else {
      context.out << fmt::format("generation {}\n", (*copy)->generation.value);
    }
  }

  static Json Document(DumpContext& context, const std::array<absl::StatusOr<layout::Superblock>, 2>& slots) {
    Json document = NewDocument("super");
    document["newest"] = context.image.inspection().slot();
    document["slots"] = Json::array();
    for (const auto& slot : slots) {
      document["slots"].push_back(slot.ok() ? ToJson(*slot) : Json{{"error", std::string(slot.status().message())}});
    }
    document["copy_unit"] = context.image.inspection().superblock().CopyUnit();
    const absl::StatusOr<Copy> copy = ReadCopy(context);
    document["copy"] = copy.ok() ? copy->has_value() ? ToJson(**copy) : Json(nullptr)
                                 : Json{{"error", std::string(copy.status().message())}};
    document["catalog"] = CatalogJson(context.image.inspection().catalog().catalog);
    return document;
  }
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpSuper() { return std::make_unique<DumpSuper>(); }

}  // namespace betr::tools
