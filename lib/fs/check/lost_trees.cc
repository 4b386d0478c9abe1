// SPDX-License-Identifier: Apache-2.0
#include "fs/check/lost_trees.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/attribute_delta.h"
#include "fs/check/check.h"
#include "fs/check/check_inode.h"
#include "fs/check/check_mend.h"
#include "fs/check/lost_and_found.h"
#include "fs/key.h"
#include "fs/record.h"
#include "store/offline/salvage.h"

namespace betr::fs {
namespace {

constexpr int kSamples = 16;
constexpr size_t kBlockNumberSize = 8;
constexpr size_t kMaxZonesAtOnce = 4096;
constexpr uint64_t kMaxNumbersSeen = uint64_t{1} << 22;  // in a tree: clones in clones may be very many

enum class Kind { kEmpty, kMeta, kData };

// What is in a tree.
struct Look {
  Kind kind = Kind::kEmpty;
  bool is_whole = false;  // its keys have lost nothing
  std::string front;      // what its keys need in front to be keys of their tree, behind a content prefix
};

struct LostTree {
  TreeId id;
  std::string node;  // its number, as text
  Look look;
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

bool IsLost(std::string_view name) { return name.starts_with(store::kLostTreePrefix); }

// The value of a key. What a tree's messages hide (kFailedPrecondition) is none of a file system.
absl::StatusOr<std::optional<std::string>> ValueOf(const Store& store, TreeId tree, std::string_view key) {
  absl::StatusOr<std::optional<std::string>> value = store.Get(tree, key);
  return absl::IsFailedPrecondition(value.status()) ? std::nullopt : std::move(value);
}

// Whether the tree has a version of which nothing is known here.
absl::StatusOr<bool> IsOfOtherVersion(const Store& store, TreeId tree) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> version, ValueOf(store, tree, key::kVersionKey));
  return absl::IsUnimplemented(DecodeVersion(version.value_or("")).status());
}

// Whether the tree has a record that only "meta" has: they lie side by side, but not each may be left.
absl::StatusOr<bool> HasGlobals(const Store& store, TreeId tree) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> version, ValueOf(store, tree, key::kVersionKey));
  const absl::Status known = DecodeVersion(version.value_or("")).status();
  if (known.ok() || absl::IsUnimplemented(known)) return known.ok();
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> root, ValueOf(store, tree, key::kRootObject));
  const absl::StatusOr<InodeRecord> directory = DecodeInode(root.value_or(""), "");
  if (directory.ok() && directory->IsDirectory()) return true;
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> bound, ValueOf(store, tree, key::kNumberBoundKey));
  return DecodeNumberBound(bound.value_or(""), "").ok();
}

bool IsValueOf(key::MetaKey::Kind kind, std::string_view value) {
  using MetaKind = key::MetaKey::Kind;
  return kind == MetaKind::kEntry       ? DecodeEntry(value, "").ok()
         : kind == MetaKind::kGroup     ? DecodeGroup(value, "").ok()
         : kind == MetaKind::kGroupName ? DecodeGroupName(value, "").ok()
                                        : false;
}

// Whether all that it begins with are names of files: of other programs no keys and values are like that.
absl::StatusOr<bool> BeginsWithNames(const Store& store, TreeId tree) {
  BETR_ASSIGN_OR_RETURN(const bool is_other, IsOfOtherVersion(store, tree));
  if (is_other) return false;
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store.NewCursor(tree));
  bool are_names = true;
  int all = 0;
  for (cursor->SeekToFirst(); cursor->Valid() && are_names && all < kSamples; cursor->Next(), ++all) {
    const std::optional<key::MetaKey> parsed = key::ParseMeta(cursor->Key());
    are_names = parsed && IsValueOf(parsed->kind, cursor->Value());
  }
  if (absl::IsFailedPrecondition(cursor->status())) return false;
  BETR_RETURN_IF_ERROR(cursor->status());
  return are_names && all > 0;
}

absl::StatusOr<Look> LookAt(const Store& store, TreeId tree) {
  Look look;
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store.NewCursor(tree));
  int metas = 0;
  int all = 0;
  bool are_data_keys = true;
  for (cursor->SeekToFirst(); cursor->Valid() && all < kSamples; cursor->Next(), ++all) {
    metas += IsMetaValue(cursor->Value()) ? 1 : 0;
    are_data_keys = are_data_keys && key::ParseData(cursor->Key()).has_value();
  }
  BETR_RETURN_IF_ERROR(cursor->status());
  if (all == 0) return look;
  look.kind = 2 * metas > all ? Kind::kMeta : Kind::kData;
  BETR_ASSIGN_OR_RETURN(const bool has_globals, HasGlobals(store, tree));
  look.is_whole = look.kind == Kind::kMeta ? has_globals : are_data_keys;
  cursor->SeekToFirst();
  look.front = look.kind == Kind::kMeta ? FrontOfMeta(cursor->Key()) : FrontOfData(cursor->Key());
  return look;
}

absl::StatusOr<bool> IsContent(const Store& store, TreeId tree) {
  const absl::StatusOr<Look> look = LookAt(store, tree);
  if (absl::IsFailedPrecondition(look.status())) return false;
  BETR_RETURN_IF_ERROR(look.status());
  return look->kind == Kind::kData && look->is_whole;
}

class Adoption {
 public:
  Adoption(Store* store, absl::FunctionRef<void(std::string_view)> act) : store_(*store), act_(act) {}

  absl::Status Run() {
    std::vector<LostTree> lost;
    for (const TreeInfo& info : store_.Trees()) {
      if (!IsLost(info.name)) continue;
      BETR_ASSIGN_OR_RETURN(Look look, LookAt(store_, info.id));
      lost.push_back({info.id, info.name.substr(store::kLostTreePrefix.size()), std::move(look)});
    }
    BETR_RETURN_IF_ERROR(Restore(&lost));
    if (!lost.empty()) BETR_RETURN_IF_ERROR(RaiseNumberBound(lost));
    BETR_ASSIGN_OR_RETURN(directory_, LostAndFoundName(store_, meta_));
    for (const LostTree& tree : lost) BETR_RETURN_IF_ERROR(Move(tree));
    return absl::OkStatus();
  }

 private:
  // Both trees at once: with only one of them the store would not be recognised as a file system.
  absl::Status Restore(std::vector<LostTree>* lost) {
    WriteBatch batch;
    std::vector<std::string> actions;
    BETR_ASSIGN_OR_RETURN(meta_, FindOrMake(kMetaTree, Kind::kMeta, lost, &batch, &actions));
    BETR_ASSIGN_OR_RETURN(data_, FindOrMake(kDataTree, Kind::kData, lost, &batch, &actions));
    BETR_RETURN_IF_ERROR(store_.Write(batch));
    for (const std::string& action : actions) act_(action);
    return absl::OkStatus();
  }

  // What is in the lost trees may have come after what the names are made of.
  absl::Status RaiseNumberBound(const std::vector<LostTree>& lost) {
    BETR_ASSIGN_OR_RETURN(const bool has_bound, HasBound());
    if (!has_bound) return absl::OkStatus();  // then nothing is given a number here
    BETR_RETURN_IF_ERROR(fs::RaiseNumberBound(&store_, nullptr, [&](const CheckFinding& finding) {
      act_(absl::StrFormat("%s: %s", finding.path, finding.what));
    }));
    BETR_ASSIGN_OR_RETURN(const auto bytes, store_.Get(meta_, key::kNumberBoundKey));
    BETR_ASSIGN_OR_RETURN(const uint64_t stored, DecodeNumberBound(bytes.value_or(""), "bound of inode numbers"));
    uint64_t bound = stored;
    for (const LostTree& tree : lost) {
      if (tree.look.kind == Kind::kMeta) BETR_RETURN_IF_ERROR(RaiseAbove(tree.id, &bound));
    }
    return bound == stored ? absl::OkStatus() : store_.Put(meta_, key::kNumberBoundKey, EncodeNumberBound(bound));
  }

  absl::StatusOr<bool> HasBound() {
    BETR_ASSIGN_OR_RETURN(const auto bytes, store_.Get(meta_, key::kNumberBoundKey));
    return DecodeNumberBound(bytes.value_or(""), "").ok();
  }

  // Whatever the keys are, as they may have lost their front.
  absl::Status RaiseAbove(TreeId tree, uint64_t* bound) {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store_.NewCursor(tree));
    uint64_t seen = 0;
    for (cursor->SeekToFirst(); cursor->Valid() && seen < kMaxNumbersSeen; cursor->Next(), ++seen) {
      const absl::StatusOr<InodeRecord> record = DecodeInode(cursor->Value(), "");
      if (!record.ok()) continue;
      for (const uint64_t number : {record->number, record->zone}) {
        if (number - *bound < kNumbersAhead) *bound = number + 1;
      }
    }
    return cursor->status();
  }

  // Returns the tree of that name. If there is none, it is made from the newest lost tree that is one; failing that,
  // from a snapshot; failing that, empty.
  absl::StatusOr<TreeId> FindOrMake(std::string_view name, Kind kind, std::vector<LostTree>* lost, WriteBatch* batch,
                                    std::vector<std::string>* actions) {
    if (const absl::StatusOr<TreeId> found = store_.FindTree(name); found.ok()) return *found;
    const TreeId tree = batch->Empty() ? store_.UnusedTreeId() : meta_.Next();
    batch->CreateTree(tree, name);
    auto whole = lost->end();
    for (auto candidate = lost->begin(); candidate != lost->end(); ++candidate) {
      const bool is_one = candidate->look.is_whole && candidate->look.kind == kind;
      // Their ids tell which was written last (store/offline/salvage.h).
      if (is_one && (whole == lost->end() || candidate->id > whole->id)) whole = candidate;
    }
    if (whole == lost->end()) {
      BETR_ASSIGN_OR_RETURN(const std::optional<TreeInfo> snapshot, NewestSnapshot(kind));
      if (snapshot) batch->ClonePrefix(snapshot->id, "", tree, "");
      actions->push_back(
          snapshot ? absl::StrFormat("tree \"%s\": made anew, as tree \"%s\" has it", name, Escape(snapshot->name))
                   : absl::StrFormat("tree \"%s\": made anew, empty", name));
      return tree;
    }
    actions->push_back(absl::StrFormat("tree \"%s\": found as node %s", name, Escape(whole->node)));
    batch->ClonePrefix(whole->id, "", tree, "");
    batch->DropTree(whole->id);
    lost->erase(whole);
    return tree;
  }

  // Returns the newest snapshot that is such a tree.
  absl::StatusOr<std::optional<TreeInfo>> NewestSnapshot(Kind kind) {
    std::optional<TreeInfo> newest;
    for (const TreeInfo& info : store_.Trees()) {
      if (!info.snapshot || (newest && info.id < newest->id)) continue;
      BETR_ASSIGN_OR_RETURN(const Look look, LookAt(store_, info.id));
      if (look.is_whole && look.kind == kind) newest = info;
    }
    return newest;
  }

  absl::Status Move(const LostTree& tree) {
    WriteBatch batch;
    std::string action;
    if (tree.look.kind != Kind::kEmpty) {
      if (tree.look.front.empty()) BETR_RETURN_IF_ERROR(MoveZones(tree.id, &batch));
      BETR_ASSIGN_OR_RETURN(const std::string name, FreeName("node-" + tree.node));
      BETR_RETURN_IF_ERROR(AddDirectories(name, &batch));
      const bool is_meta = tree.look.kind == Kind::kMeta;
      batch.ClonePrefix(tree.id, "", is_meta ? meta_ : data_, ContentOf(name) + tree.look.front);
      action = absl::StrFormat("node %s: %s in /%s/%s", Escape(tree.node), is_meta ? "files" : "content", directory_,
                               Escape(name));
    }
    batch.DropTree(tree.id);
    BETR_RETURN_IF_ERROR(store_.Write(batch));
    if (!action.empty()) act_(action);
    return absl::OkStatus();
  }

  std::string ContentOf(std::string_view name) const { return key::Content(key::Content("", directory_), name); }

  // Zones can only lie in the root. Within the lost tree they are first moved to where they can be anywhere. If that
  // takes more than a batch, it can be continued later.
  absl::Status MoveZones(TreeId tree, WriteBatch* batch) {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                          store_.NewCursor(tree, Range::Prefix(key::kZonesPrefix)));
    cursor->SeekToFirst();
    while (cursor->Valid()) {
      const uint64_t zone = key::ZoneOf(cursor->Key());
      if (zone == 0) {
        cursor->Next();
        continue;
      }
      const std::string prefix = key::Zone(zone);
      batch->RenamePrefix(tree, prefix, tree, key::OutOfZone(prefix));
      if (batch->ops().size() == kMaxZonesAtOnce || batch->Size() >= store_.MaxBatch().bytes / 4) {
        BETR_RETURN_IF_ERROR(store_.Write(*batch));
        batch->Clear();
      }
      cursor->Seek(Range::Prefix(prefix).hi);
    }
    return cursor->status();
  }

  // The name, unless an earlier repair has put something there: cloning would replace it.
  absl::StatusOr<std::string> FreeName(const std::string& name) {
    for (int again = 1;; ++again) {
      std::string free = again == 1 ? name : absl::StrFormat("%s-%d", name, again);
      BETR_ASSIGN_OR_RETURN(const bool is_free, LostAndFound(store_, meta_, data_).IsFree(ContentOf(free)));
      if (is_free) return free;
    }
  }

  // The records of the directory and of the one in it. If the root is not as it should be, RepairFileSystem makes
  // it anew, and then these, too.
  absl::Status AddDirectories(std::string_view name, WriteBatch* batch) {
    BETR_ASSIGN_OR_RETURN(const auto root, store_.Get(meta_, key::kRootObject));
    BETR_ASSIGN_OR_RETURN(const auto bytes, store_.Get(meta_, key::kNumberBoundKey));
    const std::string above = key::Entry("", directory_);
    BETR_ASSIGN_OR_RETURN(const auto found, store_.Get(meta_, above));
    const absl::StatusOr<uint64_t> bound = DecodeNumberBound(bytes.value_or(""), "");
    const bool is_possible = IsDirectory(root) && bound.ok() && (!found || IsDirectory(found));
    if (!is_possible) return absl::OkStatus();
    uint64_t next = *bound;
    AttributeDelta another;
    another.links = 1;
    if (found) {
      batch->Upsert(meta_, above, kAttributeUpsert, EncodeDelta(another));
    } else {
      InodeRecord record = NewDirectory(next++);
      record.links = 3;
      batch->Put(meta_, above, EncodeInode(record));
      batch->Upsert(meta_, key::kRootObject, kAttributeUpsert, EncodeDelta(another));
    }
    batch->Put(meta_, key::Entry(key::Content("", directory_), name), EncodeInode(NewDirectory(next++)));
    batch->Put(meta_, key::kNumberBoundKey, EncodeNumberBound(next));
    return absl::OkStatus();
  }

  static bool IsDirectory(const std::optional<std::string>& bytes) {
    const absl::StatusOr<InodeRecord> record = DecodeInode(bytes.value_or(""), "");
    return record.ok() && record->IsDirectory();
  }

  Store& store_;
  absl::FunctionRef<void(std::string_view)> act_;
  TreeId meta_;
  TreeId data_;
  std::string directory_;  // lost+found, or what is there instead
};

// One tree of a file system may be missing; one that is there, or is lost, tells that there is a file system.
absl::StatusOr<bool> IsOfFileSystem(const Store& store, const std::vector<TreeInfo>& lost) {
  const absl::StatusOr<TreeId> meta = store.FindTree(kMetaTree);
  const absl::StatusOr<TreeId> data = store.FindTree(kDataTree);
  if (meta.ok() && data.ok()) return true;
  if (!lost.empty() && (meta.ok() || data.ok())) return true;
  if (meta.ok()) return HasGlobals(store, *meta);
  if (data.ok()) return IsContent(store, *data);
  for (const TreeInfo& info : lost) {
    BETR_ASSIGN_OR_RETURN(const bool has_globals, HasGlobals(store, info.id));
    if (has_globals) return true;
    BETR_ASSIGN_OR_RETURN(const bool has_names, BeginsWithNames(store, info.id));
    if (has_names) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FindLostTrees(const Store& store) {
  std::vector<TreeInfo> lost = store.Trees();
  std::erase_if(lost, [](const TreeInfo& info) { return !IsLost(info.name); });
  BETR_ASSIGN_OR_RETURN(const bool is_of_file_system, IsOfFileSystem(store, lost));
  std::vector<std::string> findings;
  if (!is_of_file_system) return findings;
  for (const TreeInfo& info : lost) {
    findings.push_back(
        absl::StrFormat("tree \"%s\": a repair has found it and did not put it into its place", Escape(info.name)));
  }
  for (const std::string_view name : {kMetaTree, kDataTree}) {
    if (!store.FindTree(name).ok()) findings.push_back(absl::StrFormat("tree \"%s\": it is missing", name));
  }
  return findings;
}

bool MayHaveLostTrees(std::span<const std::string> names) {
  const auto is_named = [](std::string_view name) { return name == kMetaTree || name == kDataTree; };
  return std::any_of(names.begin(), names.end(), IsLost) || std::count_if(names.begin(), names.end(), is_named) == 1;
}

absl::Status AdoptLostTrees(Store* store, absl::FunctionRef<void(std::string_view)> act) {
  return Adoption(store, act).Run();
}

}  // namespace betr::fs
