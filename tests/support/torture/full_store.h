// SPDX-License-Identifier: Apache-2.0
// A store on a small device, to be filled and emptied, and what it should hold. All functions fail the calling test if
// something fails that must work however little space there is.
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
// All but kTree. Dropping many trees one by one takes long on a full store.
inline constexpr FillKind kFillKinds[] = {FillKind::kPut, FillKind::kOverwrite, FillKind::kUpsert, FillKind::kClone,
                                          FillKind::kRename};
std::string_view NameOf(FillKind kind);

class FullStore {
 public:
  FullStore(const FullShape& shape, bool background);

  Store& store() { return *store_; }
  TreeId tree() const { return tree_; }

  // Opens the image again. The store that was open ends like a killed program.
  void Open();
  // Closes the store, gives the image another reserve, and opens it again.
  void Keep(BasisPoints reserve);

  // Makes changes, all below `prefix`, until there is no space. Returns how many were accepted.
  size_t Fill(FillKind kind, const std::string& prefix);
  // Makes one of them. Thread-safe. Not part of what the store should hold before Accept.
  absl::Status Change(FillKind kind, const std::string& prefix, size_t number);
  // Adds such a change to what the store should hold.
  void Accept(FillKind kind, const std::string& prefix, size_t number);

  // Checks what must work however full the store is: sync and checkpoint. Also that nothing is wrong or missing.
  void RequireLife();
  // Returns the keys that are there, in a random order that is always the same.
  std::vector<std::string> ShuffledKeys(const std::string& prefix) const;
  // Writes a batch. If that succeeds, adds it to what the store should hold.
  absl::Status Write(const WriteBatch& batch);
  // Notes that a key was erased.
  void Forget(const std::string& key) { expected_.erase(key); }
  // Deletes everything below a prefix, one key at a time.
  void EraseKeys(const std::string& prefix);
  void EraseAll(const std::string& prefix);
  // Drops all trees except the first, including snapshots.
  void DropTrees();

  // Closes the store, which settles it, checks the image and its content, and opens it again. Returns what is then
  // free; all that was deleted is.
  Bytes FreeAfterClosing();

 private:
  // Returns the batch of a change; nothing if the change is a snapshot or a new tree.
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
