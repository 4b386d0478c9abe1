// SPDX-License-Identifier: Apache-2.0
// betrdump space: what the space is used for, what is free, and in how many pieces. This is as the newest superblock
// has it even after a replay, which moves nothing on disk.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/size_text.h"
#include "dump_command.h"
#include "dump_text.h"

namespace betr::tools {
namespace {

struct SpaceUse {
  Bytes device{0};
  Bytes fixed{0};  // superblocks, owner's note
  Bytes log{0};
  Bytes nodes{0};
  Bytes table{0};
  Bytes catalog{0};
  layout::SpaceFigures free;
  std::vector<layout::UnitRange> ranges;

  // 0 if what is free is in one piece, near 1 if it is in very many.
  double Fragmentation() const {
    return free.free.value == 0 ? 0
                                : 1 - static_cast<double>(free.largest.value) / static_cast<double>(free.free.value);
  }
  // The number of free ranges by size: under n, those of 2^n to 2^(n+1) - 1 units.
  std::map<int, uint64_t> Histogram() const {
    std::map<int, uint64_t> histogram;
    for (const layout::UnitRange& range : ranges) ++histogram[static_cast<int>(std::bit_width(range.units)) - 1];
    return histogram;
  }
};

SpaceUse Measure(store::Inspection& image) {
  SpaceUse use;
  use.device = layout::UnitBytes(image.superblock().device_units);
  use.fixed = layout::UnitBytes(image.superblock().log.start + 1);  // and the copy
  use.log = image.log_area().size;
  for (const store::UsedExtent& used : image.extents()) {
    switch (used.holder) {
      case store::UsedExtent::Holder::kNode:
      case store::UsedExtent::Holder::kPiece:
        use.nodes += used.extent.Size();
        break;
      case store::UsedExtent::Holder::kTablePage:
        use.table += used.extent.Size();
        break;
      case store::UsedExtent::Holder::kCatalog:
        use.catalog += used.extent.Size();
        break;
    }
  }
  use.free = image.space().Figures();
  use.ranges = image.space().FreeRanges();
  return use;
}

class DumpSpace final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("space", "What the space is used for, and how what is free is scattered");
    command->add_flag("--ranges", with_ranges_, "List every free range");
    return command;
  }

  absl::Status Run(DumpContext& context) override {
    const SpaceUse use = Measure(context.image.inspection());
    if (context.json) {
      PrintJson(context.out, ToJson(use));
    } else {
      PrintText(use, context.out);
    }
    return absl::OkStatus();
  }

 private:
  void PrintText(const SpaceUse& use, std::ostream& out) const {
    const auto line = [&](std::string_view name, Bytes size) {
      const double share = 100.0 * static_cast<double>(size.value) / static_cast<double>(use.device.value);
      out << fmt::format("{:<12} {:>12} {:>6.2f} %\n", name, FormatSize(size), share);
    };
    line("device", use.device);
    line("superblocks", use.fixed);
    line("log", use.log);
    line("nodes", use.nodes);
    line("node table", use.table);
    line("catalog", use.catalog);
    line("free", use.free.free);
    out << fmt::format("free ranges  {}, the largest {}, fragmentation {:.3f}\n", use.ranges.size(),
                       FormatSize(use.free.largest), use.Fragmentation());
    for (const auto& [exponent, count] : use.Histogram()) {
      out << fmt::format("  from {:>10}: {}\n", FormatSize(layout::UnitBytes(uint64_t{1} << exponent)), count);
    }
    for (size_t i = 0; with_ranges_ && i < use.ranges.size(); ++i) {
      out << fmt::format("  unit {:>12}: {} units\n", use.ranges[i].start, use.ranges[i].units);
    }
  }

  Json ToJson(const SpaceUse& use) const {
    Json json = NewDocument("space");
    json["device"] = use.device.value;
    json["superblocks"] = use.fixed.value;
    json["log"] = use.log.value;
    json["nodes"] = use.nodes.value;
    json["table"] = use.table.value;
    json["catalog"] = use.catalog.value;
    json["free"] = use.free.free.value;
    json["largest_free"] = use.free.largest.value;
    json["free_ranges"] = use.ranges.size();
    json["fragmentation"] = use.Fragmentation();
    json["histogram"] = Json::array();
    for (const auto& [exponent, count] : use.Histogram()) {
      json["histogram"].push_back({{"min_units", uint64_t{1} << exponent}, {"ranges", count}});
    }
    if (with_ranges_) {
      json["ranges"] = Json::array();
      for (const layout::UnitRange& range : use.ranges) {
        json["ranges"].push_back({{"unit", range.start}, {"units", range.units}});
      }
    }
    return json;
  }

  bool with_ranges_ = false;
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpSpace() { return std::make_unique<DumpSpace>(); }

}  // namespace betr::tools
