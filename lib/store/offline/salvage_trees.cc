// SPDX-License-Identifier: Apache-2.0
#include "store/offline/salvage_trees.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/escape.h"
#include "dag/read/tree_cursor.h"
#include "layout/seal.h"

namespace betr::store {
namespace {

constexpr Bytes kMaxSummed = GiB(16);                // most bytes of which checksums are made
constexpr uint64_t kMaxChoices = uint64_t{1} << 20;  // most choices of a root for a tree
constexpr uint32_t kUncounted = std::numeric_limits<uint32_t>::max();

// By root: how many trees have it that are not found yet. kUncounted: nobody knows.
using Roots = std::map<NodeId, uint32_t>;

uint32_t* FreeOf(Roots& roots, NodeId id) {
  const auto found = roots.find(id);
  return found == roots.end() || found->second == 0 ? nullptr : &found->second;
}

void TakeOne(uint32_t& free) { free -= free == kUncounted ? 0 : 1; }
void GiveBackOne(uint32_t& free) { free += free == kUncounted ? 0 : 1; }

// Looks for a way to give roots to the trees of an older catalog that makes the lost catalog. Tries few changes first.
class Proof {
 public:
  Proof(const layout::Superblock& superblock, const layout::ScannedCatalog& older, Roots roots, bool are_roots_exact)
      : superblock_(superblock), older_(older), roots_(std::move(roots)), are_roots_exact_(are_roots_exact) {}

  bool Find() {
    tries_ = kMaxSummed.value / layout::EncodeCatalog(older_.catalog, older_.generation).size();
    for (size_t changes = 0; changes <= older_.catalog.trees.size() && choices_ > 0 && tries_ > 0; ++changes) {
      if (Choose(0, changes)) return true;
    }
    return false;
  }

  const layout::Catalog& catalog() const { return catalog_; }

 private:
  // Chooses roots for tree `index` and all trees behind it. Of these, `changes` have another root than before, or are
  // gone. There may be very many trees, so the recursion is only as deep as there are changes.
  bool Choose(size_t index, size_t changes) {
    const std::vector<layout::CatalogTree>& trees = older_.catalog.trees;
    const size_t first = index;
    for (; choices_ > 0 && changes <= trees.size() - index; ++index) {
      --choices_;
      if (index == trees.size()) {
        if (IsLostOne()) return true;
        break;
      }
      if (changes > 0 && Change(index, changes - 1)) return true;
      if (!Take(index, trees[index].root)) break;
    }
    for (; index > first; --index) GiveBack();
    return false;
  }

  // Tries all other roots for the tree, and then that it is gone. `changes` of the trees behind it change too.
  bool Change(size_t index, size_t changes) {
    for (const auto& [root, free] : roots_) {
      if (root == older_.catalog.trees[index].root || !Take(index, root)) continue;
      if (Choose(index + 1, changes)) return true;
      GiveBack();
    }
    return Choose(index + 1, changes);
  }

  // Gives a tree the root, if the root is still free. Returns whether it was.
  bool Take(size_t index, NodeId root) {
    uint32_t* const free = FreeOf(roots_, root);
    if (free == nullptr) return false;
    TakeOne(*free);
    catalog_.trees.push_back(older_.catalog.trees[index]);
    catalog_.trees.back().root = root;
    return true;
  }

  // Takes the root back from the last tree that has got one.
  void GiveBack() {
    GiveBackOne(roots_.at(catalog_.trees.back().root));
    catalog_.trees.pop_back();
  }

  bool IsLostOne() {
    const bool are_all_used =
        std::all_of(roots_.begin(), roots_.end(), [](const auto& root) { return root.second == 0; });
    if (are_roots_exact_ && !are_all_used) return false;
    catalog_.functions = older_.catalog.functions;
    const std::string bytes = layout::EncodeCatalog(catalog_, older_.generation);
    return layout::FindGeneration(bytes, superblock_.catalog.checksum, older_.generation, superblock_.generation,
                                  &tries_)
        .has_value();
  }

  const layout::Superblock& superblock_;
  const layout::ScannedCatalog& older_;
  Roots roots_;
  const bool are_roots_exact_;
  layout::Catalog catalog_;
  uint64_t tries_ = 0;
  uint64_t choices_ = kMaxChoices;
};

class TreeFinder {
 public:
  TreeFinder(Inspection& image, SalvageNodes& nodes, SalvageWalk& walk) : image_(image), nodes_(nodes), walk_(walk) {}

  FoundTrees Run() {
    const layout::ScannedCatalog* const older = nodes_.newest_catalog();
    if (older == nullptr) {
      found_.lost.push_back(Doubt("catalog: none can be read: what is shown was found by what is in it, and"));
      return std::move(found_);
    }
    FindRoots();
    Proof proof(image_.superblock(), *older, roots_, are_roots_exact_);
    if (proof.Find()) {
      found_.catalog = proof.catalog();
      for (const layout::CatalogTree& tree : found_.catalog.trees) {
        Tell(tree, "found in an older catalog, as the checksum of the lost one proves");
      }
    } else {
      Guess(older->catalog);
    }
    return std::move(found_);
  }

 private:
  void FindRoots() {
    const absl::flat_hash_map<NodeId, uint32_t> names = nodes_.CountNames(&are_roots_exact_);
    std::vector<std::pair<NodeId, uint32_t>> counted;
    nodes_.table().ForEach([&](NodeId id, const dag::NodeRecord& record) {
      const auto found = names.find(id);
      const uint32_t named = found == names.end() ? 0 : found->second;
      const bool is_counted = nodes_.FoundBySearch(id) == nullptr;
      are_roots_exact_ = are_roots_exact_ && is_counted;
      if (is_counted && record.references > named) {
        counted.emplace_back(id, record.references - named);
      } else if (!is_counted && named == 0) {
        counted.emplace_back(id, kUncounted);
      }
    });
    for (const auto& [id, count] : counted) {
      if (walk_.CheckRoot(id).ok()) roots_[id] = count;
    }
  }

  void Guess(const layout::Catalog& older) {
    found_.catalog.functions = older.functions;
    found_.lost.push_back(Doubt(
        "catalog: made anew of an older one and of what nobody names: which trees there are, and what is in each,"));
    const bool has_others = LookAtOthers(older);
    const bool is_doubtful = has_others && std::any_of(older.trees.begin(), older.trees.end(), [&](const auto& tree) {
                               return !tree.snapshot && IsDoubtful(older, tree);
                             });
    // Who gets a root first that is counted less often than it is wanted.
    const bool are_snapshots_first = has_others;
    for (const bool snapshots : {are_snapshots_first, !are_snapshots_first}) {
      for (const layout::CatalogTree& tree : older.trees) {
        if (tree.snapshot == snapshots) GuessTree(tree, has_others, is_doubtful);
      }
    }
    std::sort(found_.catalog.trees.begin(), found_.catalog.trees.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
  }

  void GuessTree(const layout::CatalogTree& tree, bool has_others, bool is_doubtful) {
    uint32_t* const free = FreeOf(roots_, tree.root);
    if (free != nullptr && (tree.snapshot || !is_doubtful)) {
      TakeOne(*free);
      found_.catalog.trees.push_back(tree);
      Tell(tree, "found in an older catalog");
      return;
    }
    // Its root is lost, or belongs to a tree whose name is not known.
    const bool may_be_there = has_others || free != nullptr;
    found_.lost.push_back({tree.name, Range::All(), may_be_there,
                           fmt::format("catalog: the root of tree \"{}\" is not known", Escape(tree.name)),
                           may_be_there});
  }

  // Returns whether there are roots that the catalog does not explain. Collects what is in the roots that it does not
  // name.
  bool LookAtOthers(const layout::Catalog& older) {
    bool has_others = false;
    for (const auto& [root, count] : roots_) {
      const uint64_t wanted = Wanted(older, root);
      has_others = has_others || wanted == 0 || (count != kUncounted && count > wanted);
      if (wanted == 0) {
        reached_by_others_.merge(Reach(root));
        first_keys_.insert(FirstKey(root));
      }
    }
    return has_others;
  }

  static uint64_t Wanted(const layout::Catalog& older, NodeId root) {
    return static_cast<uint64_t>(
        std::count_if(older.trees.begin(), older.trees.end(), [&](const auto& tree) { return tree.root == root; }));
  }

  // Returns whether one of the other roots may be what the tree has become, so that its old root is a snapshot's. That
  // is so if more trees want the old root than have it, if the two share nodes, or if they begin with the same key. A
  // first key that cannot be read counts as the same.
  bool IsDoubtful(const layout::Catalog& older, const layout::CatalogTree& tree) {
    const auto found = roots_.find(tree.root);
    if (found == roots_.end()) return false;
    const std::optional<std::string> first = FirstKey(tree.root);
    if (found->second < Wanted(older, tree.root) || !first || first_keys_.contains(first) ||
        first_keys_.contains(std::nullopt)) {
      return true;
    }
    const absl::flat_hash_set<NodeId> reached = Reach(tree.root);
    return std::any_of(reached.begin(), reached.end(), [&](NodeId id) { return reached_by_others_.contains(id); });
  }

  // Returns the nodes to which a root leads, including itself.
  absl::flat_hash_set<NodeId> Reach(NodeId root) {
    absl::flat_hash_set<NodeId> reached{root};
    std::vector<NodeId> waiting{root};
    while (!waiting.empty()) {
      const NodeId id = waiting.back();
      waiting.pop_back();
      const dag::NodeRecord* record = nodes_.table().Find(id);
      const absl::StatusOr<dag::NodePtr> node =
          record == nullptr || record->height == 0 ? absl::NotFoundError("") : nodes_.Load(id);
      const auto reach = [&](NodeId target) {
        if (target != kNoNode && reached.insert(target).second) waiting.push_back(target);
      };
      for (size_t i = 0; node.ok() && i < (*node)->edges.size(); ++i) {
        const dag::Edge& edge = (*node)->edges[i];
        reach(edge.link.target);
        for (const dag::Goto& message : edge.partition.gotos) reach(message.link.target);
      }
    }
    return reached;
  }

  // Returns the first key of a root: "" if there is none, nothing if it cannot be read.
  std::optional<std::string> FirstKey(NodeId root) {
    dag::TreeCursor cursor({nodes_.table(), root, {}}, Range::All(), image_.core().options.functions, nullptr);
    cursor.SeekToFirst();
    if (!cursor.status().ok()) return std::nullopt;
    return cursor.Valid() ? std::string(cursor.Key()) : std::string();
  }

  void Tell(const layout::CatalogTree& tree, std::string_view what) {
    found_.actions.push_back(fmt::format("tree \"{}\": {}", Escape(tree.name), what));
  }

  Inspection& image_;
  SalvageNodes& nodes_;
  SalvageWalk& walk_;
  Roots roots_;
  bool are_roots_exact_ = true;
  absl::flat_hash_set<NodeId> reached_by_others_;    // by roots that the catalog does not name
  std::set<std::optional<std::string>> first_keys_;  // of these roots; nothing if one cannot be read
  FoundTrees found_;
};

}  // namespace

FoundTrees FindTrees(Inspection& image, SalvageNodes& nodes, SalvageWalk& walk) {
  return TreeFinder(image, nodes, walk).Run();
}

}  // namespace betr::store
