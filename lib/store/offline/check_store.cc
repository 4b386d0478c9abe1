// SPDX-License-Identifier: Apache-2.0
#include "store/offline/check_store.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/escape.h"
#include "dag/read/check.h"
#include "store/batch_codec.h"
#include "store/slots.h"

namespace betr::store {
namespace {

std::string_view KindName(dag::Finding::Kind kind) {
  switch (kind) {
    case dag::Finding::Kind::kUnreadable:
      return "unreadable";
    case dag::Finding::Kind::kMissing:
      return "missing";
    case dag::Finding::Kind::kHeight:
      return "height";
    case dag::Finding::Kind::kShape:
      return "shape";
    case dag::Finding::Kind::kImage:
      return "image";
    case dag::Finding::Kind::kOrder:
      return "order";
    case dag::Finding::Kind::kReferences:
      return "references";
    case dag::Finding::Kind::kUnreachable:
      break;
  }
  return "unreachable";
}

Finding::Repair RepairOf(dag::Finding::Kind kind) {
  switch (kind) {
    case dag::Finding::Kind::kReferences:
      return Finding::Repair::kReferences;
    case dag::Finding::Kind::kUnreachable:
      return Finding::Repair::kRemove;
    default:
      return Finding::Repair::kNone;
  }
}

Finding Damage(std::string_view kind, std::string what) { return {.kind = kind, .what = std::move(what)}; }

Finding FromDag(const dag::Finding& found) {
  const std::string place = fmt::format("node {}: ", found.node.value);
  const std::string what = found.what.starts_with(place) ? found.what : place + found.what;
  return {.kind = KindName(found.kind),
          .what = what,
          .repair = RepairOf(found.kind),
          .node = found.node,
          .references = found.expected_references};
}

std::string_view KindOf(const Problem& problem) {
  switch (problem.part) {
    case Problem::Part::kCatalog:
      return "catalog";
    case Problem::Part::kTable:
      return "table";
    case Problem::Part::kSpace:
      break;
  }
  return "space";
}

void CheckSuperblocks(const Inspection& image, const ReportFinding& report) {
  if (!image.other_slot().ok()) {
    const bool is_newest = image.IsKnownNewest();
    report({.kind = "superblock",
            .what =
                fmt::format("{} (slot {} has generation {}{})", std::string(image.other_slot().message()), image.slot(),
                            image.superblock().generation.value, is_newest ? "" : ", which may be an older one"),
            .repair = is_newest ? Finding::Repair::kSuperblock : Finding::Repair::kOlderSuperblock});
  }
  if (!image.copy().ok()) {
    report({.kind = "superblock",
            .what = std::string(image.copy().message()),
            .repair = absl::IsDataLoss(image.copy()) ? Finding::Repair::kSuperblock : Finding::Repair::kNone});
  }
}

void CheckCatalogCopies(const Inspection& image, const ReportFinding& report) {
  for (const absl::Status& copy : image.catalog().copies) {
    if (!copy.ok()) {
      report({.kind = "catalog",
              .what = fmt::format("{} (the other copy is intact)", std::string(copy.message())),
              .repair = Finding::Repair::kCatalog});
    }
  }
}

std::string PlaceOf(const Tree& tree) { return fmt::format("catalog: tree \"{}\": ", Escape(tree.name)); }

void CheckTrees(const State& state, const ReportFinding& report) {
  for (const auto& [id, tree] : state.trees) {
    const std::string place = PlaceOf(tree);
    const dag::NodeRecord* root = state.table.Find(tree.root);
    if (root == nullptr) {
      report(Damage("catalog", fmt::format("{}its root, node {}, is not in the node table", place, tree.root.value)));
    } else if (root->height == 0) {
      report(Damage("catalog", fmt::format("{}its root, node {}, is a leaf", place, tree.root.value)));
    }
    if (id >= state.next_tree) {
      report(Damage("catalog",
                    fmt::format("{}its id is {}, but the next new one is {}", place, id.value, state.next_tree.value)));
    }
  }
}

void CheckIds(const Inspection& image, CheckFigures& figures, const ReportFinding& report) {
  const State& state = *image.state();
  state.table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    figures.dead_nodes += record.Dead() ? 1 : 0;
    if (id >= state.next_node) {
      report(Damage("table", fmt::format("node {}: the next new one is {}", id.value, state.next_node.value)));
    }
    const auto address = AddressOf(&record);
    if (address && address->version >= image.superblock().next_version) {
      report(Damage("table", fmt::format("node {}: its write version is {}, but the next new one is {}", id.value,
                                         address->version, image.superblock().next_version)));
    }
  });
}

void CheckLog(Inspection& image, CheckFigures& figures, const ReportFinding& report) {
  const auto visit = [&](Lsn lsn, std::string_view payload) {
    ++figures.log_records;
    const absl::Status decoded = DecodeBatch(payload).status();
    if (!decoded.ok()) {
      report(Damage("log", fmt::format("log: record {}: {}", lsn.value, std::string(decoded.message()))));
    }
    return absl::OkStatus();
  };
  const auto log = Log::Open(image.device(), image.log_area(), image.log_salt(), image.log_start(), visit);
  if (!log.ok()) {
    report(Damage("log", fmt::format("log: {}", std::string(log.status().message()))));
    return;
  }
  figures.is_log_torn = (*log)->EndsTorn();
}

// Returns whether every root that can be read is sound. If one is not, nobody knows what the real root names. Reads the
// roots.
bool CheckRoots(const State& state, const ReportFinding& report) {
  bool is_sound = true;
  for (const auto& [id, tree] : state.trees) {
    const dag::NodeRecord* root = state.table.Find(tree.root);
    if (root == nullptr || root->height == 0) {
      is_sound = false;  // CheckTrees has reported it
      continue;
    }
    const absl::StatusOr<dag::NodePtr> node = dag::LoadNode(state.table, tree.root);
    const absl::Status checked = node.ok() ? dag::CheckRoot(tree.root, **node) : absl::OkStatus();
    if (!checked.ok()) {
      is_sound = false;
      report(Damage("catalog", PlaceOf(tree) + std::string(checked.message())));
    }
  }
  return is_sound;
}

// Returns how many trees and snapshots have each node as their root.
std::map<NodeId, uint32_t> RootsOf(const State& state) {
  std::map<NodeId, uint32_t> roots;
  for (const auto& [id, tree] : state.trees) ++roots[tree.root];
  return roots;
}

// Reports what is found in the DAG. Leaves out what depends on counts if something that names nodes could not be read.
class CountGuard {
 public:
  explicit CountGuard(const ReportFinding& report, bool is_blind) : report_(report), is_blind_(is_blind) {}

  void operator()(const dag::Finding& found) {
    if (RepairOf(found.kind) == Finding::Repair::kNone) {
      is_blind_ = is_blind_ || Hides(found.kind);
      report_(FromDag(found));
    } else if (!is_blind_) {
      report_(FromDag(found));  // CheckDag reports these last
    }
  }

 private:
  static bool Hides(dag::Finding::Kind kind) {
    return kind == dag::Finding::Kind::kUnreadable || kind == dag::Finding::Kind::kMissing;
  }

  const ReportFinding& report_;
  bool is_blind_;  // something that names nodes could not be read
};

}  // namespace

CheckFigures CheckStore(Inspection& image, CheckDepth depth, const ReportFinding& report) {
  CheckFigures figures;
  const State& state = *image.state();
  figures.nodes = state.table.Count();
  figures.trees = state.trees.Size();
  figures.table_pages = image.table_pages();
  for (const UsedExtent& used : image.extents()) figures.used += used.extent.Size();
  CheckSuperblocks(image, report);
  for (const Problem& problem : image.problems()) {
    report(Damage(KindOf(problem), std::string(problem.status.message())));
  }
  CheckCatalogCopies(image, report);
  CheckTrees(state, report);
  CheckIds(image, figures, report);
  CheckLog(image, figures, report);
  if (depth == CheckDepth::kFull) {
    const bool has_roots = CheckRoots(state, report);
    CountGuard guard(report, !has_roots || !image.problems().empty());
    dag::CheckDag(state.table, RootsOf(state), {}, [&](const dag::Finding& found) { guard(found); });
  }
  return figures;
}

void CheckState(const State& state, const ReportFinding& report) {
  CheckTrees(state, report);
  CountGuard guard(report, !CheckRoots(state, report));
  dag::CheckDag(state.table, RootsOf(state), {}, [&](const dag::Finding& found) { guard(found); });
}

}  // namespace betr::store
