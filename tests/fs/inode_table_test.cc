// SPDX-License-Identifier: Apache-2.0
// Inodes in memory and their names.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "fs/inode.h"
#include "support/seed.h"

namespace betr::fs {
namespace {

// Whether each name that an inode has is listed by its directory, and says which of the names it is.
bool KnowEachOther(const Inode& inode) {
  for (size_t at = 0; at < inode.names.size(); ++at) {
    const InodeName& name = inode.names[at];
    const auto child = name.directory->children.find(name.name);
    if (child == name.directory->children.end()) return false;
    if (child->second.inode != &inode || child->second.name_at != at) return false;
  }
  return true;
}

TEST_CASE("a file and the directories that it has names in know each other", "[fs]") {
  Random random(TestSeed());
  NameBudget budget(1000);
  InodeTable table(&budget, 100);
  InodeRecord directory;
  directory.type = FileType::kDirectory;
  std::vector<Inode*> directories{&table.root()};
  for (const char* name : {"d1", "d2", "d3"}) directories.push_back(&table.AddNamed(&table.root(), name, directory));
  std::vector<Inode*> files;
  size_t names = 0;
  for (uint64_t group = 1; group <= 3; ++group) files.push_back(&table.AddGroup(&table.root(), group, InodeRecord()));
  for (int step = 0; step < 20'000; ++step) {
    Inode* const at = random.Pick(directories);
    const std::string name = std::to_string(random.Uniform(40));
    const auto child = at->children.find(name);
    if (child == at->children.end()) {
      table.AddName(random.Pick(files), at, name);
      ++names;
    } else {
      table.RemoveName(child->second.inode, at, name);
      --names;
      REQUIRE_FALSE(at->children.contains(name));
    }
    size_t found = 0;
    for (const Inode* file : files) {
      REQUIRE(KnowEachOther(*file));
      found += file->names.size();
    }
    REQUIRE(found == names);
  }
}

}  // namespace
}  // namespace betr::fs
