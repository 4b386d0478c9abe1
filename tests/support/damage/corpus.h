// SPDX-License-Identifier: Apache-2.0
// Named damages, each with what fsck.betr must say of it and what must become of it. Each run makes the corpus anew,
// with the same bytes every time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/damage/bench.h"

namespace betr::test {

struct DamageCase {
  std::string name;
  std::function<void(Bench&)> damage;
  // A part of a line that fsck.betr prints.
  std::string finds;
  // A part of what fsck.betr -y prints.
  std::string does;
  // Whether something is lost, and must be said to be.
  bool is_lossy = false;
  int exit = 4;         // of fsck.betr
  int exit_repair = 1;  // of fsck.betr -y; then a second run gives 0. 4: beyond repair
};

std::vector<DamageCase> SuperblockCases();    // for ClosedStore
std::vector<DamageCase> OlderStateCases();    // for CrashedStore
std::vector<DamageCase> TableCases();         // for ClosedStore
std::vector<DamageCase> NodeCases();          // for ClosedStore
std::vector<DamageCase> LogCases();           // for CrashedStore
std::vector<DamageCase> FileCases();          // for FileSystemImage
std::vector<DamageCase> LostAndFoundCases();  // for FileSystemImage
std::vector<DamageCase> FileStoreCases();     // for FileSystemImage

// The lost one's copies and older ones that nothing has been written over.
void ZeroEveryCatalog(Bench& bench);

}  // namespace betr::test
