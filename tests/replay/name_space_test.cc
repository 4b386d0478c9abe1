// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/name_space.h"

#include <catch2/catch.hpp>

#include "replay/replayer.h"

namespace betr::replay {
namespace {

TEST_CASE("an operation on an open file has the path of any name of it, or of the last one") {
  NameSpace space("/w");
  const NodeNumber directory = space.Make(FileType::kDirectory, 0755);
  space.AddName(space.root(), "d", directory);
  Operation write;
  write.kind = OperationKind::kWrite;
  write.place.node = space.Make(FileType::kRegular, 0644);
  space.AddUse(write.place.node);
  CHECK(PathOf(write, space).empty());
  space.AddName(directory, "a", write.place.node);
  CHECK(PathOf(write, space) == "/w/d/a");
  space.AddName(space.root(), "b", write.place.node);
  CHECK(PathOf(write, space) == "/w/b");
  space.RemoveName(space.root(), "b");
  CHECK(PathOf(write, space) == "/w/d/a");
  space.RemoveName(directory, "a");
  CHECK(PathOf(write, space) == "/w/b");
}

}  // namespace
}  // namespace betr::replay
