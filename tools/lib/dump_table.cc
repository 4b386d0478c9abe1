// SPDX-License-Identifier: Apache-2.0
// betrdump table: every node that the node table knows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "dump_command.h"
#include "dump_text.h"
#include "store/slots.h"

namespace betr::tools {
namespace {

struct Row {
  NodeId id;
  const dag::NodeRecord& record;
  std::optional<layout::NodeAddress> address;  // nothing if it is only in memory, after a replay

  Row(NodeId node, const dag::NodeRecord& node_record)
      : id(node), record(node_record), address(store::AddressOf(&node_record)) {}
};

std::string FlagsText(const Row& row) {
  std::vector<std::string_view> flags;
  if (row.record.Dead()) flags.push_back("dead");
  if (row.record.references > 1) flags.push_back("shared");
  if (!row.address) flags.push_back("in memory");
  if (row.address && row.address->extent->address().scattered) flags.push_back("scattered");
  return fmt::format("{}", fmt::join(flags, ", "));
}

void PrintRow(const Row& row, std::ostream& out) {
  const layout::ExtentAddress extent = row.address ? row.address->extent->address() : layout::ExtentAddress{};
  std::string line =
      fmt::format("{:>10} {:>6} {:>6} {:>12} {:>6} {:>6} {:>12}  {}", row.id.value, row.record.height,
                  row.record.references, extent.start, extent.units, row.address ? row.address->header_units : 0,
                  row.address ? row.address->version : 0, FlagsText(row));
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

Json RowJson(const Row& row) {
  Json json = Json::object();
  json["id"] = row.id.value;
  json["height"] = row.record.height;
  json["references"] = row.record.references;
  json["dead"] = row.record.Dead();
  json["shared"] = row.record.references > 1;
  json["in_memory"] = !row.address.has_value();
  if (row.address) {
    json["extent"] = ExtentJson(row.address->extent->address());
    json["header_units"] = row.address->header_units;
    json["version"] = row.address->version;
  }
  return json;
}

class DumpTable final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("table", "The node table: where each node is, and how often it is named");
    command->add_flag("--dead", dead_only_, "Only nodes that wait to be reclaimed");
    command->add_flag("--shared", shared_only_, "Only nodes that are named more than once");
    return command;
  }

  absl::Status Run(DumpContext& context) override {
    const dag::NodeTable& table = context.image.state().table;
    if (context.json) {
      Json head = NewDocument("table");
      head["count"] = table.Count();
      JsonArrayPrinter printer(context.out, head, "nodes");
      table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
        if (Wanted(record)) printer.Add(RowJson({id, record}));
      });
      printer.Finish();
      return absl::OkStatus();
    }
    context.out << fmt::format("{:>10} {:>6} {:>6} {:>12} {:>6} {:>6} {:>12}  {}\n", "node", "height", "refs", "unit",
                               "units", "header", "version", "flags");
    table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
      if (Wanted(record)) PrintRow({id, record}, context.out);
    });
    return absl::OkStatus();
  }

 private:
  bool Wanted(const dag::NodeRecord& record) const {
    return (!dead_only_ || record.Dead()) && (!shared_only_ || record.references > 1);
  }

  bool dead_only_ = false;
  bool shared_only_ = false;
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpTable() { return std::make_unique<DumpTable>(); }

}  // namespace betr::tools
