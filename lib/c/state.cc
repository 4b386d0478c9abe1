// SPDX-License-Identifier: Apache-2.0
// What is durable, and what a store says about itself.
#include <string>
#include <string_view>

#include "base/status.h"
#include "betr/version.h"
#include "c/answer.h"
#include "c/convert_options.h"
#include "c/handles.h"
#include "c/sized.h"

namespace betr::c {

static_assert(BETR_MAX_KEY_SIZE == kMaxKeySize.value && BETR_MAX_VALUE_SIZE == kMaxValueSize.value &&
              BETR_MAX_TREE_NAME_SIZE == kMaxTreeNameSize.value);

extern "C" {

const char* betr_version(void) { return LibraryVersion(); }

betr_code betr_sync(betr_store* store) {
  return Answer({FaultOfHandle(store)}, [&] { return store->store->Sync(); });
}

betr_code betr_checkpoint(betr_store* store) {
  return Answer({FaultOfHandle(store)}, [&] { return store->store->Checkpoint(); });
}

betr_code betr_compact(betr_store* store, betr_tree tree) {
  return Answer({FaultOfHandle(store)}, [&] { return store->store->Compact(TreeId{tree}); });
}

betr_code betr_trim(betr_store* store, const betr_trim_options* options, uint64_t* trimmed) {
  Clear(trimmed);
  return Answer({FaultOfHandle(store), FaultOf(trimmed, "trimmed")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const TrimOptions what, TrimOptionsOf(options));
    BETR_ASSIGN_OR_RETURN(const Bytes bytes, store->store->Trim(what));
    *trimmed = bytes.value;
    return absl::OkStatus();
  });
}

betr_code betr_space(betr_store* store, betr_space_stats* space) {
  ClearSized(space);
  return Answer({FaultOfHandle(store), FaultOf(space, "space")}, [&] {
    const SpaceStats found = store->store->Space();
    return WriteSized({0, found.total.value, found.free.value, found.available.value, found.reserve.value, found.nodes,
                       found.dead_nodes},
                      space, "space");
  });
}

betr_code betr_for_each_stat(betr_store* store, void (*visit)(void* user, const char* name, uint64_t value),
                             void* user) {
  return Answer({FaultOfHandle(store), FaultOf(visit, "visit")}, [&] {
    store->store->Stats().ForEach(
        [&](std::string_view name, uint64_t value) { visit(user, std::string(name).c_str(), value); });
  });
}

betr_code betr_get_format(betr_store* store, betr_format_options* options) {
  ClearSized(options);
  return Answer({FaultOfHandle(store), FaultOf(options, "options")},
                [&] { return WriteSized(DescribeFormat(store->format), options, "options"); });
}

bool betr_read_only(const betr_store* store) { return store != nullptr && store->store->ReadOnly(); }

}  // extern "C"

}  // namespace betr::c
