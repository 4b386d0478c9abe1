// SPDX-License-Identifier: Apache-2.0
// What is known of a directory's names: never wrong, and never more than the budget allows.
#include "fs/name_set.h"

#include <catch2/catch.hpp>

namespace betr::fs {
namespace {

TEST_CASE("a set of names is known as long as all of them are", "[fs]") {
  NameBudget budget{100};
  NameSet set(&budget);
  CHECK_FALSE(set.SurelyAbsent("a"));
  set.BecomeEmpty();
  CHECK(set.SurelyAbsent("a"));
  set.Add("a");
  CHECK(budget.names == 1);
  CHECK_FALSE(set.SurelyAbsent("a"));
  CHECK(set.SurelyAbsent("b"));
  set.Remove("a");
  CHECK(budget.names == 0);
  CHECK(set.KnownEmpty());
  // A hash that is there already may be another name's, which a removal would take along.
  set.Add("a");
  set.Add("a");
  CHECK_FALSE(set.Known());
  set.Remove("a");
  CHECK_FALSE(set.SurelyAbsent("a"));
  CHECK(budget.names == 0);
}

TEST_CASE("sets of names have a budget together", "[fs]") {
  NameBudget budget{3};
  NameSet one(&budget);
  NameSet two(&budget);
  one.BecomeEmpty();
  two.BecomeEmpty();
  one.Add("a");
  one.Add("b");
  two.Add("a");
  CHECK(budget.names == 3);
  two.Add("b");
  CHECK_FALSE(two.Known());
  CHECK(budget.names == 2);
  CHECK(one.SurelyAbsent("c"));
  one.Forget();
  CHECK(budget.names == 0);
}

TEST_CASE("a listing that comes back to where it was teaches each name once", "[fs]") {
  NameBudget budget{100};
  NameSet set(&budget);
  set.BeginListing();
  for (const char* name : {"a", "b", "b", "a", "c"}) set.AddListed(name);
  CHECK_FALSE(set.Known());
  set.FinishListing();
  CHECK(set.Known());
  CHECK(budget.names == 3);
  CHECK(set.SurelyAbsent("d"));
  set.BeginListing();
  set.AddListed("a");
  set.Add("z");  // in between: the listing may have come by its place
  set.FinishListing();
  CHECK_FALSE(set.Known());
}

}  // namespace
}  // namespace betr::fs
