// SPDX-License-Identifier: Apache-2.0
// Inodes in memory. On disk there are only paths. Here objects have an identity: an id that outlives renames, the place
// where they are kept now, their record, and links to the directory above. Keys are derived from these links when they
// are needed, so renaming a directory touches nothing below it.
//
// Invariants
//   1. An inode of place kNamed has exactly one name in memory. Its directory lists it under that name.
//   2. An inode of place kGroup is in `groups` of its home. Its names in memory may be some of those it has, or none.
//   3. The record is what the store holds, plus what is pending. Only `reach` may be less, and is still enough.
//   4. A directory stays as long as it lists a child or a group, or is the root of a zone. Any inode stays while it is
//      referred to or has something pending. One that is gone (no name, not open or kept) goes with its last reference.
//   5. A zone has one root, which stays in memory. So another directory that claims the zone is recognised
//      (Core::FindRead).
//
// Not thread-safe: FileSystem's lock guards all of it.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "betr/filesystem.h"
#include "fs/attribute_delta.h"
#include "fs/name_set.h"
#include "fs/record.h"

namespace betr::fs {

// Where an object's record is kept.
enum class InodePlace : uint8_t {
  kRoot,
  kNamed,   // under its only name
  kGroup,   // in a link home
  kOrphan,  // among the orphans
  kGone,    // nowhere
};

// What is known about a link home.
enum class HasGroups : uint8_t { kUnknown, kNone, kSome };

struct Inode;

// Lets maps of names be searched with string views.
struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return static_cast<size_t>(Checksum(name)); }
};

struct InodeName {
  Inode* directory = nullptr;
  std::string name;
};

// What a directory lists under a name.
struct Child {
  Inode* inode = nullptr;
  size_t name_at = 0;  // which of its names this is: a file may have tens of thousands
};

// Content that was written but not yet handed to the store: one extent, and what it does to the record.
struct PendingWrite {
  uint64_t offset = 0;
  std::string bytes;
  AttributeDelta attributes;
  size_t object = 0;  // bytes of the object's key, which does not become longer meanwhile
  size_t cost = 0;    // what it takes in a batch at most
  // What the record had before.
  uint64_t size_before = 0;
  FileTime modified_before;
  FileTime changed_before;

  // In writeback.cc.
  void Begin(uint64_t at, size_t object_size, const InodeRecord& record);
  // Undoes in `record` what the write did to it.
  void TakeBack(InodeRecord* record) const;
  bool Empty() const { return bytes.empty(); }
  // Also frees the memory: a string that is assigned a short one keeps its buffer.
  void Clear() { std::exchange(*this, PendingWrite()); }
};

struct Inode {
  explicit Inode(NameBudget* budget) : known_names(budget) {}

  InodeId id;
  InodePlace place = InodePlace::kNamed;
  bool unnamed = false;         // an orphan that never had a name, and may still get one
  bool kept = false;            // a file that is treated as open until the last reference is gone
  bool told = false;            // its attributes were told since FileSystem::TakeTold last asked
  bool times_are_late = false;  // content was written without times, and nobody has said them since
  std::vector<InodeName> names;
  Inode* home = nullptr;  // of a group
  uint64_t group = 0;     // id of a group or an orphan
  InodeRecord record;
  uint64_t references = 0;
  uint64_t opens = 0;
  PendingWrite pending;
  absl::Status loss;  // of writes that had been accepted; to be reported once

  // Of directories.
  NumberContext context = 0;  // of the content
  absl::flat_hash_map<std::string, Child, NameHash, std::equal_to<>> children;
  absl::flat_hash_map<uint64_t, Inode*> groups;
  NameSet known_names;
  HasGroups has_groups = HasGroups::kUnknown;  // of a home

  bool is_idle = false;
  // Where it is in the table's list of inodes that may go; the end of the list if it must stay.
  std::list<Inode*>::iterator idle;

  bool IsDirectory() const { return record.IsDirectory(); }
  // Whether it becomes an orphan when it loses its last name.
  bool OutlivesNames() const { return (opens > 0 || kept) && !IsDirectory(); }
  // Requires: a directory that is not the root and has not been removed.
  Inode* parent() const { return names.front().directory; }
};

// The context in which the stored number of `inode` is seen.
NumberContext ContextOf(const Inode& inode);
FileAttributes AttributesOf(const Inode& inode);

// Whether `directory` is `ancestor` or lies below it.
bool IsBelow(const Inode& directory, const Inode& ancestor);

class InodeTable {
 public:
  InodeTable(NameBudget* budget, size_t idle_max);

  Inode& root() { return *root_; }
  const Inode& root() const { return *root_; }
  Inode* Find(InodeId id) const;
  // Returns the root of a zone; null if it has not been met since mounting, or is gone.
  Inode* RootOfZone(uint64_t zone) const;

  // A new inode without references. Requires: if it is the root of a zone, no other inode is.
  Inode& AddNamed(Inode* directory, std::string_view name, InodeRecord record);
  Inode& AddGroup(Inode* home, uint64_t group, InodeRecord record);
  Inode& AddOrphan(uint64_t orphan, InodeRecord record);

  // Adds or removes a name in memory; removing one may change the order of the others. O(1). The rest of the inode is
  // up to the caller.
  void AddName(Inode* inode, Inode* directory, std::string_view name);
  void RemoveName(Inode* inode, Inode* directory, std::string_view name);

  // Each moves an inode to another place. Requires: its names have been changed already.
  void BecomeGroup(Inode* inode, Inode* home, uint64_t group);
  void BecomeNamed(Inode* inode);
  void BecomeOrphan(Inode* inode, uint64_t orphan);
  void BecomeZone(Inode* directory, uint64_t zone);
  void BecomeGone(Inode* inode);

  void Refer(Inode* inode, uint64_t count = 1);
  void Release(Inode* inode, uint64_t count);
  // To be called when something that kept the inode in memory has ended.
  void MayGo(Inode* inode);

  // Drops inodes that nobody needs, beyond the number that is kept. Invalidates pointers to them.
  void Trim();

  size_t size() const { return inodes_.size(); }

 private:
  Inode& Add(InodePlace place, InodeRecord record);
  static bool MustStay(const Inode& inode);
  void LeavePlace(Inode* inode);
  void Drop(Inode* inode);

  NameBudget& budget_;
  size_t idle_max_;
  uint64_t next_id_ = kRootInode.value;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Inode>> inodes_;
  absl::flat_hash_map<uint64_t, Inode*> zone_roots_;
  std::list<Inode*> idle_;  // least recently used first
  Inode* root_;
};

}  // namespace betr::fs
