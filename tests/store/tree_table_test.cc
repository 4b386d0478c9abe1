// SPDX-License-Identifier: Apache-2.0
#include "store/tree_table.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

namespace betr::test {

TEST_CASE("trees are found by id and by name, whatever was renamed or removed", "[store]") {
  using store::Tree;
  store::TreeTable table;
  const auto name_of = [](int i) { return "tree " + std::to_string(i); };
  for (int i = 1; i <= 100; ++i) table.Set({TreeId{static_cast<uint64_t>(i)}, name_of(i), NodeId{7}, {}, false});
  const store::TreeTable before = table;
  table.SetRoot(TreeId{5}, NodeId{8});
  table.Remove(TreeId{6});
  Tree renamed = *table.Find(TreeId{7});
  renamed.name = "another";
  table.Set(renamed);
  table.Set({TreeId{200}, name_of(6), NodeId{9}, {}, true});

  CHECK(table.Size() == 100);
  CHECK(table.Find(TreeId{5})->root == NodeId{8});
  CHECK(table.Find(TreeId{6}) == nullptr);
  CHECK(table.FindName(name_of(6))->id == TreeId{200});
  CHECK(table.FindName(name_of(7)) == nullptr);
  CHECK(table.FindName("another")->id == TreeId{7});
  Bytes names{0};
  TreeId last;
  for (const auto& [id, tree] : table) {
    CHECK(id > last);
    CHECK(table.FindName(tree.name)->id == id);
    names += Bytes{tree.name.size()};
    last = id;
  }
  CHECK(table.NameBytes() == names);

  CHECK(before.Find(TreeId{5})->root == NodeId{7});
  CHECK(before.FindName(name_of(6))->id == TreeId{6});
  CHECK(before.FindName("another") == nullptr);
}

TEST_CASE("of the trees that can be written to those with large roots are known", "[store]") {
  store::TreeTable table;
  table.Set({TreeId{1}, "one", NodeId{1}, {}, false, 5});
  table.Set({TreeId{2}, "two", NodeId{2}, {}, false});
  table.Set({TreeId{3}, "snapshot", NodeId{3}, {}, true, 9});
  table.Set({TreeId{4}, "four", NodeId{4}, {}, false, 5});
  const store::TreeTable before = table;
  table.SetLargeRoot(TreeId{2}, 7);
  table.SetRoot(TreeId{2}, NodeId{8});
  table.SetLargeRoot(TreeId{3}, 8);
  table.Remove(TreeId{4});
  const auto listed = [](const store::TreeTable& of) {
    std::vector<std::pair<uint64_t, TreeId>> list;
    for (const auto& [units_and_id, none] : of.Large()) list.push_back(units_and_id);
    return list;
  };
  using List = std::vector<std::pair<uint64_t, TreeId>>;
  CHECK(listed(table) == List{{7, TreeId{2}}, {5, TreeId{1}}});
  CHECK(listed(before) == List{{5, TreeId{4}}, {5, TreeId{1}}});
  table.SetLargeRoot(TreeId{1}, 9);
  table.SetLargeRoot(TreeId{2}, 0);
  CHECK(listed(table) == List{{9, TreeId{1}}});
}

// As forged images may have it.
TEST_CASE("two trees of one name are both there", "[store]") {
  store::TreeTable table;
  table.Set({TreeId{1}, "same", NodeId{1}, {}, false});
  table.Set({TreeId{2}, "same", NodeId{2}, {}, false});
  CHECK(table.Size() == 2);
  CHECK(table.NameBytes() == Bytes{8});
  table.Remove(TreeId{1});
  CHECK(table.FindName("same")->id == TreeId{2});
  table.Remove(TreeId{2});
  CHECK(table.Size() == 0);
  CHECK(table.NameBytes() == Bytes{0});
  CHECK(table.FindName("same") == nullptr);
}

}  // namespace betr::test
