// SPDX-License-Identifier: Apache-2.0
#include "fs/name_set.h"

#include "base/checksum.h"

namespace betr::fs {

uint64_t NameSet::Hash(std::string_view name) const { return SeededChecksum(budget_.seed, name); }

bool NameSet::SurelyAbsent(std::string_view name) const { return Known() && !hashes_.contains(Hash(name)); }

void NameSet::BecomeEmpty() {
  Forget();
  state_ = State::kKnown;
}

void NameSet::Forget() {
  budget_.names -= hashes_.size();
  hashes_ = {};
  last_.clear();
  state_ = State::kUnknown;
}

void NameSet::Insert(std::string_view name) {
  if (budget_.names >= budget_.names_max || !hashes_.insert(Hash(name)).second) {
    Forget();
    return;
  }
  ++budget_.names;
}

void NameSet::Add(std::string_view name) {
  if (Known()) {
    Insert(name);
  } else {
    Forget();
  }
}

void NameSet::Remove(std::string_view name) {
  if (!Known()) {
    Forget();
  } else if (hashes_.erase(Hash(name)) > 0) {
    --budget_.names;
  }
}

void NameSet::BeginListing() {
  Forget();
  state_ = State::kListing;
  ++listings_;
}

void NameSet::AddListed(std::string_view name) {
  // A listing may come back to where it was, but not leave anything out.
  if (state_ != State::kListing || name <= last_) return;
  last_ = name;
  Insert(name);
}

void NameSet::FinishListing() {
  if (state_ != State::kListing) return;
  state_ = State::kKnown;
  last_.clear();
}

}  // namespace betr::fs
