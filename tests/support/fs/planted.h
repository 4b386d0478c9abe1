// SPDX-License-Identifier: Apache-2.0
// Damages planted into the records of a file system, for tests of its checker.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fs/attribute_delta.h"
#include "fs/check/check.h"
#include "support/fs/image.h"

namespace betr::test::planted {

struct Trees {
  Store& store;
  TreeId meta;
  TreeId data;
};

// Makes /d/f with blocks and a large xattr, /d/sub/g, and /l and /d/l, two names of one file.
void Fill(Image& image);

std::vector<fs::CheckFinding> Run(Image& image, bool repair);
void Damage(Image& image, const std::function<void(const Trees&)>& damage);

void Change(const Trees& trees, const std::string& object, const fs::AttributeDelta& delta);
// Returns the key of the only link group.
std::string GroupKey(const Trees& trees);

struct Case {
  std::string name;
  fs::CheckCode code;
  bool repairable;
  std::function<void(const Trees&)> damage;
};

// Checks that the checker finds the damage in what `fill` makes, and repairs it if it can. Also that a salvage repairs
// everything, and what it moves can be read.
void RunCase(const Case& test, void (*fill)(Image&) = Fill);

// Salvages the image, and checks that nothing is left to be found.
void Repair(Image& image);

}  // namespace betr::test::planted
