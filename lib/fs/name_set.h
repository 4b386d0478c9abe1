// SPDX-License-Identifier: Apache-2.0
// NameSet is which names a directory has, as far as memory knows. It lets a lookup say "no such name" without reading.
//
// Only hashes of names are kept (16 bytes a name). For a known directory the set answers either "surely absent" or
// "maybe there". If two names had one hash, removing one would forget the other. So the set gives up as soon as it
// meets such a pair: the directory becomes unknown.
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

  // To be called when the directory has no names at all, since it was just made.
  void BecomeEmpty();
  // Afterwards nothing is known.
  void Forget();

  // To be called for every change of the directory. Both end a listing.
  void Add(std::string_view name);
  void Remove(std::string_view name);

  // Learning by listing: BeginListing, then AddListed for every name in order, then FinishListing. After a change in
  // between, nothing is learnt.
  void BeginListing();
  // How often a listing was begun. What was read for an earlier one may miss changes made before a later one.
  uint64_t Listings() const { return listings_; }
  // Whether a listing is under way and has come to `after` at least.
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
