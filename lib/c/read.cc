// SPDX-License-Identifier: Apache-2.0
// Reading without a cursor.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "c/answer.h"
#include "c/handles.h"
#include "c/returned.h"
#include "c/sized.h"

namespace betr::c {
namespace {

absl::StatusOr<std::optional<std::string>> Get(const Store& store, const betr_view* view, TreeId tree,
                                               std::string_view key) {
  return view != nullptr ? store.Get(*view->view, tree, key) : store.Get(tree, key);
}

// Returns the first fault among the prefixes. Requires: the array is not null.
Fault FaultOfAny(std::span<const betr_tree_prefix> prefixes) {
  for (const betr_tree_prefix& prefix : prefixes) {
    if (const Fault fault = FaultOf(prefix.data, prefix.size, "prefixes"); fault.why != nullptr) return fault;
  }
  return {};
}

std::vector<TreePrefix> PrefixesOf(std::span<const betr_tree_prefix> given) {
  std::vector<TreePrefix> prefixes;
  for (const betr_tree_prefix& prefix : given) {
    prefixes.push_back({TreeId{prefix.tree}, std::string(BytesOf(prefix.data, prefix.size))});
  }
  return prefixes;
}

}  // namespace

extern "C" {

betr_code betr_pin(betr_store* store, betr_view** view) {
  Clear(view);
  return Answer({FaultOfHandle(store), FaultOf(view, "view")}, [&] {
    *view = new betr_view{store->store, store->store->Pin()};
  });
}

void betr_view_free(betr_view* view) { delete view; }

betr_code betr_get(betr_store* store, const betr_view* view, betr_tree tree, const void* key, size_t key_size,
                   void** value, size_t* value_size) {
  Clear(value, value_size);
  return Answer(
      {FaultOfHandle(store), FaultOf(key, key_size, "key"), FaultOf(value, "value"), FaultOf(value_size, "value_size")},
      [&]() -> absl::Status {
        BETR_ASSIGN_OR_RETURN(const std::optional<std::string> found,
                              Get(*store->store, view, TreeId{tree}, BytesOf(key, key_size)));
        if (found.has_value()) *value = CopyOf(*found, value_size);
        return absl::OkStatus();
      });
}

betr_code betr_estimate(betr_store* store, betr_tree tree, const betr_range* range, betr_range_estimate* estimate) {
  ClearSized(estimate);
  return Answer({FaultOfHandle(store), FaultOf(range), FaultOf(estimate, "estimate")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const RangeEstimate found, store->store->Estimate(TreeId{tree}, RangeOf(range)));
    return WriteSized({0, found.keys, found.bytes.value, found.shared.value, found.exact}, estimate, "estimate");
  });
}

betr_code betr_footprint_of(betr_store* store, const betr_view* view, const betr_tree_prefix* prefixes, size_t count,
                            betr_footprint_stats* footprint) {
  ClearSized(footprint);
  return Answer({FaultOfHandle(store), FaultOf(prefixes, count, "prefixes"), FaultOf(footprint, "footprint")},
                [&]() -> absl::Status {
                  const std::span given(prefixes, count);
                  BETR_RETURN_IF_ERROR(Check({FaultOfAny(given)}));
                  BETR_ASSIGN_OR_RETURN(const Footprint found,
                                        store->store->FootprintOf(*ViewOf(*store, view), PrefixesOf(given)));
                  return WriteSized({0, found.stored.value, found.exclusive.value}, footprint, "footprint");
                });
}

betr_code betr_id_of_content(betr_store* store, const betr_view* view, betr_tree tree, const void* prefix,
                             size_t prefix_size, void** id, size_t* id_size, bool* shared) {
  Clear(id, id_size, shared);
  return Answer({FaultOfHandle(store), FaultOfHandle(view), FaultOf(prefix, prefix_size, "prefix"), FaultOf(id, "id"),
                 FaultOf(id_size, "id_size")},
                [&]() -> absl::Status {
                  BETR_ASSIGN_OR_RETURN(
                      const std::optional<ContentId> found,
                      store->store->IdOfContent(*view->view, TreeId{tree}, BytesOf(prefix, prefix_size)));
                  if (!found.has_value()) return absl::OkStatus();
                  *id = CopyOf(found->id, id_size);
                  if (shared != nullptr) *shared = found->shared;
                  return absl::OkStatus();
                });
}

}  // extern "C"

}  // namespace betr::c
