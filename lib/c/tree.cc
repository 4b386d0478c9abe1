// SPDX-License-Identifier: Apache-2.0
// The trees of a store.
#include <string_view>

#include "base/status.h"
#include "c/answer.h"
#include "c/handles.h"

namespace betr::c {
namespace {

absl::Status Return(const absl::StatusOr<TreeId>& found, betr_tree* tree) {
  if (found.ok()) *tree = found->value;
  return found.status();
}

}  // namespace

extern "C" {

betr_code betr_create_tree(betr_store* store, const void* name, size_t name_size, const char* compression,
                           betr_tree* tree) {
  Clear(tree);
  return Answer({FaultOfHandle(store), FaultOf(name, name_size, "name"), FaultOf(tree, "tree")}, [&] {
    return Return(store->store->CreateTree(BytesOf(name, name_size), StringOf(compression)), tree);
  });
}

betr_code betr_find_tree(betr_store* store, const betr_view* view, const void* name, size_t name_size,
                         betr_tree* tree) {
  Clear(tree);
  return Answer({FaultOfHandle(store), FaultOf(name, name_size, "name"), FaultOf(tree, "tree")}, [&] {
    const std::string_view wanted = BytesOf(name, name_size);
    return Return(view != nullptr ? store->store->FindTree(*view->view, wanted) : store->store->FindTree(wanted), tree);
  });
}

betr_code betr_unused_tree(betr_store* store, betr_tree* tree) {
  Clear(tree);
  return Answer({FaultOfHandle(store), FaultOf(tree, "tree")}, [&] { *tree = store->store->UnusedTreeId().value; });
}

betr_code betr_snapshot(betr_store* store, betr_tree tree, const void* name, size_t name_size, betr_tree* snapshot) {
  Clear(snapshot);
  return Answer({FaultOfHandle(store), FaultOf(name, name_size, "name"), FaultOf(snapshot, "snapshot")},
                [&] { return Return(store->store->Snapshot(TreeId{tree}, BytesOf(name, name_size)), snapshot); });
}

betr_code betr_drop_tree(betr_store* store, betr_tree tree) {
  return Answer({FaultOfHandle(store)}, [&] { return store->store->DropTree(TreeId{tree}); });
}

betr_code betr_for_each_tree(betr_store* store, void (*visit)(void* user, const betr_tree_info* info), void* user) {
  return Answer({FaultOfHandle(store), FaultOf(visit, "visit")}, [&] {
    for (const TreeInfo& tree : store->store->Trees()) {
      const betr_tree_info info = {tree.id.value, tree.name.c_str(), tree.name.size(), tree.compression.c_str(),
                                   tree.snapshot};
      visit(user, &info);
    }
  });
}

}  // extern "C"

}  // namespace betr::c
