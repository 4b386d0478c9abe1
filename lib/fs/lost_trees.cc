// SPDX-License-Identifier: Apache-2.0
#include "fs/lost_trees.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/check_mend.h"
#include "fs/key.h"
#include "fs/record.h"
#include "store/salvage.h"

namespace betr::fs {
namespace {

constexpr int kSamples = 16;
constexpr size_t kBlockNumberSize = 8;

enum class Kind { kEmpty, kMeta, kData };

struct LostTree {
  TreeId id;
  std::string node;  // its number, as text
  Kind kind = Kind::kEmpty;
  bool is_whole = false;  // its keys have lost nothing
  std::string front;      // what its keys need in front to be keys of their tree, behind a content prefix
};

// What keys need in front of them to be understood: nothing, the NUL of an entry, or more.
std::string FrontOfMeta(std::string_view key) {
  const std::string nul(1, '\0');
  return key::ParseMeta(key) || !key::ParseMeta(nul + std::string(key)) ? "" : nul;
}

std::string FrontOfData(std::string_view key) {
  std::string nul(1, '\0');
  const std::string file = nul + "file" + nul;
  const auto is_key = [&](const std::string& front) { return key::ParseData(front + std::string(key)).has_value(); };
  if (key.size() <= kBlockNumberSize) return file + std::string(kBlockNumberSize - key.size(), '\0');
  if (is_key("")) return "";
  if (is_key(nul)) return nul;
  return is_key(nul + "file") ? nul + "file" : "";
}

bool IsMetaValue(std::string_view value) {
  return DecodeEntry(value, "").ok() || DecodeGroupName(value, "").ok() || DecodeNumberBound(value, "").ok() ||
         DecodeVersion(value).ok();
}

absl::StatusOr<LostTree> LookAt(const Store& store, const TreeInfo& info) {
  LostTree tree{info.id, info.name.substr(store::kLostTreePrefix.size()), Kind::kEmpty, false, {}};
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store.NewCursor(info.id));
  int metas = 0;
  int all = 0;
  bool are_data_keys = true;
  for (cursor->SeekToFirst(); cursor->Valid() && all < kSamples; cursor->Next(), ++all) {
    metas += IsMetaValue(cursor->Value()) ? 1 : 0;
    are_data_keys = are_data_keys && key::ParseData(cursor->Key()).has_value();
  }
  BETR_RETURN_IF_ERROR(cursor->status());
  if (all == 0) return tree;
  tree.kind = 2 * metas > all ? Kind::kMeta : Kind::kData;
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> version, store.Get(info.id, key::kVersionKey));
  tree.is_whole = tree.kind == Kind::kMeta ? version.has_value() : are_data_keys;
  cursor->SeekToFirst();
  tree.front = tree.kind == Kind::kMeta ? FrontOfMeta(cursor->Key()) : FrontOfData(cursor->Key());
  return tree;
}

class Adoption {
 public:
  Adoption(Store* store, absl::FunctionRef<void(std::string_view)> act) : store_(*store), act_(act) {}

  absl::Status Run() {
    std::vector<LostTree> lost;
    for (const TreeInfo& info : store_.Trees()) {
      if (!info.name.starts_with(store::kLostTreePrefix)) continue;
      BETR_ASSIGN_OR_RETURN(LostTree tree, LookAt(store_, info));
      lost.push_back(std::move(tree));
    }
    BETR_ASSIGN_OR_RETURN(const TreeId meta, Restore(kMetaTree, Kind::kMeta, &lost));
    BETR_ASSIGN_OR_RETURN(const TreeId data, Restore(kDataTree, Kind::kData, &lost));
    for (const LostTree& tree : lost) BETR_RETURN_IF_ERROR(Move(tree, tree.kind == Kind::kMeta ? meta : data));
    return absl::OkStatus();
  }

 private:
  // The tree of that name: if there is none, made of a lost tree that is one, else empty.
  absl::StatusOr<TreeId> Restore(std::string_view name, Kind kind, std::vector<LostTree>* lost) {
    if (absl::StatusOr<TreeId> found = store_.FindTree(name); found.ok()) return found;
    BETR_ASSIGN_OR_RETURN(const TreeId tree, store_.CreateTree(name));
    const auto whole = std::find_if(lost->begin(), lost->end(), [&](const LostTree& candidate) {
      return candidate.is_whole && candidate.kind == kind;
    });
    if (whole == lost->end()) {
      act_(absl::StrFormat("tree \"%s\": made anew, empty", name));
      return tree;
    }
    act_(absl::StrFormat("tree \"%s\": found as node %s", name, Escape(whole->node)));
    BETR_RETURN_IF_ERROR(store_.ClonePrefix(whole->id, "", tree, ""));
    BETR_RETURN_IF_ERROR(store_.DropTree(whole->id));
    lost->erase(whole);
    return tree;
  }

  absl::Status Move(const LostTree& tree, TreeId to) {
    if (tree.kind != Kind::kEmpty) {
      const std::string name = "node-" + tree.node;
      const std::string content = key::Content(key::Content("", kLostAndFound), name);
      act_(absl::StrFormat("node %s: %s in /%s/%s", Escape(tree.node), tree.kind == Kind::kMeta ? "files" : "content",
                           kLostAndFound, Escape(name)));
      BETR_RETURN_IF_ERROR(store_.ClonePrefix(tree.id, "", to, content + tree.front));
      if (tree.front.empty()) BETR_RETURN_IF_ERROR(MoveZones(to, content));
    }
    return store_.DropTree(tree.id);
  }

  // Zones can only lie in the root.
  absl::Status MoveZones(TreeId tree, const std::string& content) {
    const std::string zones = content + std::string(key::kZonesPrefix);
    while (true) {
      BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store_.NewCursor(tree, Range::Prefix(zones)));
      cursor->SeekToFirst();
      BETR_RETURN_IF_ERROR(cursor->status());
      const uint64_t zone = cursor->Valid() ? key::ZoneOf(cursor->Key().substr(content.size())) : 0;
      if (zone == 0) return absl::OkStatus();
      const std::string prefix = key::Zone(zone);
      BETR_RETURN_IF_ERROR(store_.RenamePrefix(tree, content + prefix, tree, content + key::OutOfZone(prefix)));
    }
  }

  Store& store_;
  absl::FunctionRef<void(std::string_view)> act_;
};

}  // namespace

bool HasLostTrees(const Store& store) {
  int named = 0;
  bool is_lost = false;
  bool has_version = false;
  for (const TreeInfo& info : store.Trees()) {
    named += info.name == kMetaTree || info.name == kDataTree ? 1 : 0;
    if (!info.name.starts_with(store::kLostTreePrefix)) continue;
    is_lost = true;
    const absl::StatusOr<std::optional<std::string>> version = store.Get(info.id, key::kVersionKey);
    has_version = has_version || (version.ok() && *version && DecodeVersion(**version).ok());
  }
  return named == 1 || (is_lost && (named == 2 || has_version));
}

absl::Status AdoptLostTrees(Store* store, absl::FunctionRef<void(std::string_view)> act) {
  return Adoption(store, act).Run();
}

}  // namespace betr::fs
