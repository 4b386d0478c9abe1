// SPDX-License-Identifier: Apache-2.0
// betrdump stat: the shape of the DAG, level by level, and what sharing saves.
#include <fmt/format.h>

#include <map>

#include "base/size_text.h"
#include "base/status.h"
#include "dag/live.h"
#include "dump_command.h"
#include "dump_reach.h"
#include "dump_text.h"
#include "dump_walk.h"
#include "store/slots.h"

namespace betr::tools {
namespace {

struct LevelStat {
  uint64_t nodes = 0;
  uint64_t shared = 0;  // named more than once
  uint64_t edges = 0;
  uint64_t null_edges = 0;
  uint64_t runs = 0;
  uint64_t clones = 0;  // gotos with a target
  uint64_t erases = 0;  // gotos without one
  uint64_t basements = 0;
  Bytes size{0};    // of messages or entries, uncompressed
  Bytes stored{0};  // size of the extents
  Bytes shared_size{0};
  double shared_live = 0;  // bytes of shared_size that some tree shows

  double Fill(Bytes node_size) const {
    return nodes == 0
               ? 0
               : static_cast<double>(size.value) / static_cast<double>(nodes) / static_cast<double>(node_size.value);
  }
  double LiveFraction() const {
    return shared_size.value == 0 ? 1 : shared_live / static_cast<double>(shared_size.value);
  }
};

// What a walk over all trees adds up.
struct DagStat {
  std::map<dag::Height, LevelStat, std::greater<>> levels;
  double logical = 0;  // bytes of entries, as often as the trees show them
  double pending = 0;  // bytes of messages on the way, counted likewise
  bool exact = true;
  uint64_t unreadable = 0;
  absl::Status first_error;

  LevelStat Total() const {
    LevelStat total;
    for (const auto& [height, level] : levels) {
      total.nodes += level.nodes;
      total.shared += level.shared;
      total.size += level.size;
      total.stored += level.stored;
      total.shared_size += level.shared_size;
      total.shared_live += level.shared_live;
    }
    return total;
  }
};

class StatWalk {
 public:
  explicit StatWalk(const store::State& state) : state_(state) {
    for (const auto& [id, tree] : state.trees) reached_[tree.root].Add(Range::All(), 1);
  }

  DagStat Run() {
    WalkDag(state_, AllRoots(state_), [&](const WalkedNode& walked) {
      const auto found = reached_.find(walked.id);
      const ReachedRanges reached = found == reached_.end() ? ReachedRanges() : std::move(found->second);
      reached_.erase(walked.id);
      const absl::Status status = Visit(walked, reached);
      if (!status.ok()) {
        stat_.unreadable += 1;
        stat_.first_error = stat_.first_error.ok() ? status : stat_.first_error;
      }
    });
    return std::move(stat_);
  }

 private:
  absl::Status Visit(const WalkedNode& walked, const ReachedRanges& reached) {
    LevelStat& level = stat_.levels[walked.record.height];
    ++level.nodes;
    level.shared += walked.record.references > 1 ? 1 : 0;
    const auto address = store::AddressOf(&walked.record);
    level.stored += address ? address->extent->address().Size() : Bytes{0};
    BETR_RETURN_IF_ERROR(walked.node.status());
    const dag::Node& node = **walked.node;
    level.size += node.Size();
    level.basements += node.basements.size();
    CountEdges(node, level);
    stat_.exact = stat_.exact && reached.exact();
    ForEachReached(node, reached,
                   [&](const dag::Link& link, double ways) { reached_[link.target].Add(link.Image(), ways); });
    BETR_RETURN_IF_ERROR(AddUp(node, reached));
    return walked.record.references > 1 ? AddLive(node, reached, level) : absl::OkStatus();
  }

  static void CountEdges(const dag::Node& node, LevelStat& level) {
    level.edges += node.edges.size();
    for (const dag::Edge& edge : node.edges) {
      level.null_edges += edge.link.Null() ? 1 : 0;
      level.runs += edge.partition.runs.size();
      for (const dag::Goto& message : edge.partition.gotos) ++(message.Erases() ? level.erases : level.clones);
    }
  }

  // Every way that leads here shows these bytes once more.
  absl::Status AddUp(const dag::Node& node, const ReachedRanges& reached) {
    absl::Status status;
    reached.ForEach([&](const Range& range, double ways) {
      const absl::StatusOr<Bytes> bytes = dag::BytesIn(node, range);
      status = bytes.ok() ? status : bytes.status();
      if (bytes.ok()) (node.Leaf() ? stat_.logical : stat_.pending) += ways * static_cast<double>(bytes->value);
    });
    return status;
  }

  static absl::Status AddLive(const dag::Node& node, const ReachedRanges& reached, LevelStat& level) {
    BETR_ASSIGN_OR_RETURN(const Bytes all, dag::BytesIn(node, node.bounds));
    level.shared_size += all;
    for (const Range& range : reached.Union()) {
      BETR_ASSIGN_OR_RETURN(const Bytes live, dag::BytesIn(node, range));
      level.shared_live += static_cast<double>(live.value);
    }
    return absl::OkStatus();
  }

  const store::State& state_;
  std::map<NodeId, ReachedRanges> reached_;  // of nodes that are still to come
  DagStat stat_;
};

std::string SizeText(double bytes) {
  return bytes < 1e18 ? FormatSize(Bytes{static_cast<uint64_t>(bytes)}) : fmt::format("{:.3g} B", bytes);
}

void PrintText(const DagStat& stat, Bytes node_size, std::ostream& out) {
  out << fmt::format("{:>6} {:>9} {:>9} {:>9} {:>7} {:>8} {:>8} {:>8} {:>11} {:>6} {:>11} {:>7}\n", "height", "nodes",
                     "shared", "edges", "null", "runs", "clones", "erases", "size", "fill", "stored", "live");
  for (const auto& [height, level] : stat.levels) {
    out << fmt::format("{:>6} {:>9} {:>9} {:>9} {:>7} {:>8} {:>8} {:>8} {:>11} {:>4.0f} % {:>11} {:>5.0f} %\n", height,
                       level.nodes, level.shared, height == 0 ? level.basements : level.edges, level.null_edges,
                       level.runs, level.clones, level.erases, FormatSize(level.size), 100 * level.Fill(node_size),
                       FormatSize(level.stored), 100 * level.LiveFraction());
  }
  const LevelStat total = stat.Total();
  const double physical = static_cast<double>(total.stored.value);
  out << fmt::format("\nlogical   {}{} of entries, {} of messages on their way\n", stat.exact ? "" : "at most ",
                     SizeText(stat.logical), SizeText(stat.pending));
  out << fmt::format("physical  {} in {} nodes, {} of them shared\n", FormatSize(total.stored), total.nodes,
                     total.shared);
  out << fmt::format("ratio     {:.2f} logical bytes per physical byte\n",
                     physical == 0 ? 0 : (stat.logical + stat.pending) / physical);
  out << fmt::format("live      {:.1f} % of what is in shared nodes\n", 100 * total.LiveFraction());
}

Json LevelJson(dag::Height height, const LevelStat& level, Bytes node_size) {
  Json json = Json::object();
  json["height"] = height;
  json["nodes"] = level.nodes;
  json["shared"] = level.shared;
  json["edges"] = level.edges;
  json["null_edges"] = level.null_edges;
  json["runs"] = level.runs;
  json["clones"] = level.clones;
  json["erases"] = level.erases;
  json["basements"] = level.basements;
  json["size"] = level.size.value;
  json["fill"] = level.Fill(node_size);
  json["stored"] = level.stored.value;
  json["live_fraction_of_shared"] = level.LiveFraction();
  return json;
}

Json ToJson(const DagStat& stat, Bytes node_size) {
  Json json = NewDocument("stat");
  json["heights"] = Json::array();
  for (const auto& [height, level] : stat.levels) json["heights"].push_back(LevelJson(height, level, node_size));
  const LevelStat total = stat.Total();
  json["nodes"] = total.nodes;
  json["shared"] = total.shared;
  json["logical_bytes"] = stat.logical;
  json["pending_bytes"] = stat.pending;
  json["exact"] = stat.exact;
  json["physical_bytes"] = total.stored.value;
  json["live_fraction_of_shared"] = total.LiveFraction();
  return json;
}

class DumpStat final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    return app.add_subcommand("stat", "Nodes by height, fill, and what sharing saves");
  }

  absl::Status Run(DumpContext& context) override {
    const DagStat stat = StatWalk(context.image.state()).Run();
    const Bytes node_size = context.image.superblock().node_size;
    if (context.json) {
      PrintJson(context.out, ToJson(stat, node_size));
    } else {
      PrintText(stat, node_size, context.out);
    }
    return stat.unreadable == 0 ? absl::OkStatus()
                                : Annotate(stat.first_error, fmt::format("{} nodes cannot be read", stat.unreadable));
  }
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpStat() { return std::make_unique<DumpStat>(); }

}  // namespace betr::tools
