// SPDX-License-Identifier: Apache-2.0
// A store on a small device, to be filled and emptied, and what it should hold. All functions fail the test that calls
// them if something that must work whatever the space does not.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/store.h"
#include "device/memory_device.h"
#include "support/torture/model.h"

namespace betr::test {

inline constexpr Bytes kFullLog = KiB(256);

struct FullShape {
  Bytes device;
  Bytes node;
  size_t value;
  std::string compression = "none";
  BasisPoints reserve{};
};

// What the store is filled with.
enum class FillKind : uint8_t {
  kPut,        // new keys
  kOverwrite,  // some hundred keys again and again, each time in a new snapshot
  kUpsert,     // values that grow
  kClone,      // clones of prefixes that change between them
  kRename,     // new keys, and prefixes that move
  kTree,       // new trees, with nothing in them
};
// All but trees: on a full store, dropping many of them one by one takes long.
inline constexpr FillKind kFillKinds[] = {FillKind::kPut, FillKind::kOverwrite, FillKind::kUpsert, FillKind::kClone,
                                          FillKind::kRename};
std::string_view NameOf(FillKind kind);

class FullStore {
 public:
  FullStore(const FullShape& shape, bool background);

  Store& store() { return *store_; }
  TreeId tree() const { return tree_; }

  // Opens the image again; the store that was open ends like a program that is killed.
  void Open();
  // Closes the store, gives the image another reserve, and opens it again.
  void Keep(BasisPoints reserve);

  // Changes, all below `prefix`, until there is no space; how many were accepted.
  size_t Fill(FillKind kind, const std::string& prefix);
  // One of them. Thread-safe, but nothing knows of it before Accept.
  absl::Status Change(FillKind kind, const std::string& prefix, size_t number);
  // Such a change is in what the store should hold.
  void Accept(FillKind kind, const std::string& prefix, size_t number);

  // What must work however full it is: sync, checkpoint; and nothing is wrong, or missing.
  void RequireLife();
  // Those that are there, in a random order that is always the same.
  std::vector<std::string> ShuffledKeys(const std::string& prefix) const;
  // Writes a batch; if that is done, it is in what the store should hold.
  absl::Status Write(const WriteBatch& batch);
  // Such a key was erased.
  void Forget(const std::string& key) { expected_.erase(key); }
  // Deletes all below a prefix, one key at a time.
  void EraseKeys(const std::string& prefix);
  void EraseAll(const std::string& prefix);
  // All trees but the first, snapshots included.
  void DropTrees();

  // Closes, which settles; checks the image and what is in it, opens it again: all that was deleted is free then.
  Bytes FreeAfterClosing();

 private:
  // Nothing if it is a snapshot or a new tree.
  std::optional<WriteBatch> BatchOf(FillKind kind, const std::string& prefix, size_t number) const;
  void Accept(const Op& op);
  void RequireContents();
  std::string Value(size_t number) const;

  const FullShape shape_;
  MemoryDevice disk_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  TreeId tree_;
  Contents expected_;
  std::map<std::string, Contents> others_;  // snapshots and new trees, by name
};

// Fails the test.
void RequireOk(const absl::Status& status, std::string_view what);

}  // namespace betr::test
