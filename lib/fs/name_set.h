// SPDX-License-Identifier: Apache-2.0
// Which names a directory has, as far as memory knows: what lets a lookup say "no such name" without reading.
//
// Only hashes of names are kept (16 bytes a name). The set of a known directory answers "absent" for sure and "maybe
// there" otherwise. Two names with one hash would make a removal forget the other one, so the set gives up (the
// directory becomes unknown) as soon as it meets such a pair.
//
// Not thread-safe. Every operation is O(1).
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace betr::fs {

// Shared by the sets of one file system.
struct NameBudget {
  size_t names_max = 0;
  size_t names = 0;
  uint64_t seed = 0;  // of the hash, so that nobody can choose names that collide
};

class NameSet {
 public:
  explicit NameSet(NameBudget* budget) : budget_(*budget) {}
  ~NameSet() { Forget(); }
  NameSet(const NameSet&) = delete;
  NameSet& operator=(const NameSet&) = delete;

  // Whether all names of the directory are in the set.
  bool Known() const { return state_ == State::kKnown; }
  bool KnownEmpty() const { return Known() && hashes_.empty(); }
  // Whether it is sure that there is no such name.
  bool SurelyAbsent(std::string_view name) const;

  // The directory has no names at all (it was just made).
  void BecomeEmpty();
  // Nothing is known any more.
  void Forget();

  // Tell it of every change of the directory. Ends a listing.
  void Add(std::string_view name);
  void Remove(std::string_view name);

  // Learning by listing: Begin, then every name in order, then Finish. A change in between makes it in vain.
  void BeginListing();
  // How often one was begun: what was read for an earlier one says nothing of changes before a later one.
  uint64_t Listings() const { return listings_; }
  // Whether a listing is under way that has come to `after` at least.
  bool Listing(std::string_view after) const { return state_ == State::kListing && after <= last_; }
  void AddListed(std::string_view name);
  void FinishListing();

 private:
  enum class State { kUnknown, kListing, kKnown };

  void Insert(std::string_view name);
  uint64_t Hash(std::string_view name) const;

  NameBudget& budget_;
  State state_ = State::kUnknown;
  std::string last_;  // of a listing
  uint64_t listings_ = 0;
  absl::flat_hash_set<uint64_t> hashes_;
};

}  // namespace betr::fs
