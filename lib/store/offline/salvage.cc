// SPDX-License-Identifier: Apache-2.0
#include "store/offline/salvage.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/escape.h"
#include "base/status.h"
#include "store/batch_codec.h"
#include "store/offline/image_checkpoint.h"
#include "store/offline/salvage_nodes.h"
#include "store/offline/salvage_paths.h"
#include "store/offline/salvage_trees.h"
#include "store/offline/salvage_vouch.h"
#include "store/offline/salvage_walk.h"

namespace betr::store {
namespace {

class Salvage {
 public:
  explicit Salvage(Inspection& image) : image_(image), nodes_(image), walk_(image, nodes_) {}

  absl::StatusOr<Salvaged> Run(const SalvageLimits& limits, const TellLosses& loses) {
    BETR_RETURN_IF_ERROR(nodes_.Scan());
    is_catalog_lost_ = std::any_of(image_.problems().begin(), image_.problems().end(),
                                   [](const Problem& problem) { return problem.part == Problem::Part::kCatalog; });
    if (is_catalog_lost_) nodes_.TakeUnlisted();
    TakeTrees();
    SkipTreesOfLog();
    for (auto& [id, tree] : trees_) KeepTree(tree);
    walk_.VisitDead();
    if (is_root_lost_ || walk_.IsInteriorLost()) nodes_.TakeUnlisted();
    if (IsSomethingLost()) {
      walk_.VisitUnnamed([&](NodeId id, const dag::Node& node) { AddLostTree(id, node); });
    }
    NumberLostTrees();
    walk_.Settle();
    DoubtUnvouched();
    DoubtSearch();
    FollowCuts(limits);
    for (LostRange& lost : result_.lost) lost.before_log = true;
    BETR_RETURN_IF_ERROR(image_.ReadError());
    if (loses != nullptr && !result_.lost.empty()) loses(result_.lost);
    BETR_RETURN_IF_ERROR(Write());
    return Report();
  }

 private:
  struct LostTree {
    uint64_t version;
    NodeId node;
    NodeId root;  // the node, or one above it
    Codec codec;
  };

  // Takes the trees of the catalog or, if it is gone, those that are found.
  void TakeTrees() {
    next_tree_ = image_.state()->next_tree;
    layout::Catalog catalog = image_.catalog().catalog;
    if (is_catalog_lost_) {
      FoundTrees found = FindTrees(image_, nodes_, walk_);
      catalog = std::move(found.catalog);
      result_.actions = std::move(found.actions);
      result_.lost = std::move(found.lost);
    }
    functions_ = std::move(catalog.functions);
    for (const layout::CatalogTree& tree : catalog.trees) TakeTree(tree);
  }

  // Keeps clear of the trees that the log makes, since replaying gives them the ids and names that they had.
  void SkipTreesOfLog() {
    const auto visit = [&](Lsn, std::string_view payload) {
      BETR_ASSIGN_OR_RETURN(const std::vector<Op> ops, DecodeBatch(payload));
      for (const Op& op : ops) {
        if (op.kind == OpKind::kCreateTree || op.kind == OpKind::kSnapshot) {
          next_tree_ = std::max(next_tree_, op.to_tree.Next());
          names_.insert(op.key);
        }
      }
      return absl::OkStatus();
    };
    // A damaged part is cut off before anything is replayed.
    Log::Open(image_.device(), image_.log_area(), image_.log_salt(), image_.log_start(), visit).status().IgnoreError();
  }

  void TakeTree(const layout::CatalogTree& tree) {
    trees_[tree.id] = {tree.id, tree.name, tree.root, tree.codec, tree.snapshot};
    names_.insert(tree.name);
    next_tree_ = std::max(next_tree_, tree.id.Next());
  }

  void KeepTree(Tree& tree) {
    const absl::Status status = walk_.CheckRoot(tree.root);
    if (!status.ok()) {
      is_root_lost_ = true;
      result_.lost.push_back({tree.name, Range::All(), false, std::string(status.message())});
      tree.root = nodes_.Create(dag::EmptyNode(1, Range::All(), tree.codec));
      result_.actions.push_back(fmt::format("tree \"{}\": its root is lost: it is empty now", Escape(tree.name)));
    }
    walk_.Name(tree.root);
  }

  void FollowCuts(const SalvageLimits& limits) {
    SalvagePaths paths(nodes_, walk_, limits, &result_.lost);
    std::vector<const Tree*> concerned;
    for (const auto& [id, tree] : trees_) {
      if (paths.Concern(tree.root)) concerned.push_back(&tree);
    }
    for (size_t i = 0; i < concerned.size(); ++i) {
      paths.AddTree(concerned[i]->name, concerned[i]->root, concerned.size() - i);
    }
  }

  bool IsSomethingLost() const {
    const bool is_page_lost = std::any_of(image_.problems().begin(), image_.problems().end(),
                                          [](const Problem& problem) { return problem.part == Problem::Part::kTable; });
    return is_root_lost_ || is_catalog_lost_ || is_page_lost || !walk_.cuts().empty();
  }

  // The root of a tree is no leaf, and shows all keys. So a leaf, or a node with narrower bounds, gets a root above it.
  // If it is too high for that, its own bounds are widened.
  void AddLostTree(NodeId id, const dag::Node& node) {
    LostTree tree{nodes_.VersionOf(id), id, id, node.codec};
    if (node.height == dag::kMaxHeight) {
      nodes_.Replace(id, Widened(node));
    } else if (node.Leaf() || !node.bounds.Covers(Range::All())) {
      tree.root = nodes_.Create(RootOver(id, node));
    }
    lost_trees_.push_back(tree);
    walk_.Name(tree.root);
  }

  // Numbers them in the order in which they were written. If several may be the same tree, the last is the newest.
  void NumberLostTrees() {
    std::stable_sort(lost_trees_.begin(), lost_trees_.end(),
                     [](const LostTree& a, const LostTree& b) { return a.version < b.version; });
    for (const LostTree& lost : lost_trees_) {
      const TreeId tree = next_tree_;
      next_tree_ = next_tree_.Next();
      const std::string name = FreeName(lost.node);
      trees_[tree] = {tree, name, lost.root, lost.codec, false};
      result_.lost_trees.push_back(name);
      result_.actions.push_back(fmt::format("node {}: nobody names it any more: tree \"{}\"", lost.node.value, name));
    }
  }

  // Returns a name that is not taken. An earlier repair may have found the node too, and the root that it put above may
  // be lost now.
  std::string FreeName(NodeId node) {
    const std::string first = fmt::format("{}{}", kLostTreePrefix, node.value);
    std::string name = first;
    for (int again = 2; !names_.insert(name).second; ++again) name = fmt::format("{}-{}", first, again);
    return name;
  }

  // Nodes that were searched for, since their page of the table is lost, may be older than the lost ones.
  void DoubtUnvouched() {
    for (const NodeId id : FindUnvouched(image_, nodes_)) {
      walk_.Doubt(id, fmt::format("node {}: found in the {}, and nothing tells that it is the newest", id.value,
                                  layout::ToString(nodes_.FoundBySearch(id)->extent)));
    }
  }

  // What was sought may have been in places that were not looked at.
  void DoubtSearch() {
    if (const uint64_t places = nodes_.PassedOver(); places > 0) {
      result_.lost.push_back(
          Doubt(fmt::format("search for nodes: {} places were not looked at closer, as too much was read in vain: what "
                            "is shown of what was found",
                            places)));
    }
  }

  static dag::Node RootOver(NodeId id, const dag::Node& node) {
    dag::Node root{static_cast<dag::Height>(node.height + 1), node.bounds, node.codec, {}, {}};
    root.edges.push_back({dag::Link{node.bounds, id, std::string(node.bounds.Lcp())}, {}});
    return Widened(std::move(root));
  }

  // Widens a node to all keys, with edges that lead nowhere before and behind what it holds.
  static dag::Node Widened(dag::Node node) {
    const Range all = Range::All();
    const Range before{all.lo, node.bounds.lo};
    const Range behind{node.bounds.hi, all.hi};
    if (!before.Empty()) node.edges.insert(node.edges.begin(), {dag::Link{before, kNoNode, {}}, {}});
    if (!behind.Empty()) node.edges.push_back({dag::Link{behind, kNoNode, {}}, {}});
    node.bounds = all;
    return node;
  }

  absl::Status Write() {
    auto state = std::make_shared<State>();
    state->table = nodes_.table();
    state->table.StartChanging();
    for (const auto& [id, tree] : trees_) state->trees.Set(tree);
    state->next_node = nodes_.next_id();
    state->next_tree = next_tree_;
    // This catalog has no address, so it is written anew, whatever it holds.
    layout::StoredCatalog catalog;
    catalog.catalog.functions = functions_;
    return WriteCheckpoint(image_, std::move(state), std::move(catalog));
  }

  Salvaged Report() {
    result_.actions.insert(result_.actions.end(), nodes_.found().begin(), nodes_.found().end());
    result_.actions.insert(result_.actions.end(), walk_.actions().begin(), walk_.actions().end());
    result_.nodes_kept = walk_.nodes_kept();
    result_.nodes_lost = walk_.lost().size();
    return std::move(result_);
  }

  Inspection& image_;
  SalvageNodes nodes_;
  SalvageWalk walk_;
  std::map<TreeId, Tree> trees_;
  absl::flat_hash_set<std::string> names_;  // of trees, also of those that the log makes
  std::map<uint16_t, std::string> functions_;
  TreeId next_tree_;
  std::vector<LostTree> lost_trees_;
  bool is_catalog_lost_ = false;
  bool is_root_lost_ = false;
  Salvaged result_;
};

}  // namespace

absl::StatusOr<Salvaged> SalvageStore(Inspection& image, const SalvageLimits& limits, const TellLosses& loses) {
  BETR_RETURN_IF_ERROR(image.superblock().CheckWritable());
  return Salvage(image).Run(limits, loses);
}

}  // namespace betr::store
