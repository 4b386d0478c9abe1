// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "c/moves.h"

namespace betr::c {
namespace {

TreePrefix PrefixOf(betr_tree tree, const void* prefix, size_t size) {
  return {TreeId{tree}, std::string(BytesOf(prefix, size))};
}

const void* ShowOptional(const std::optional<std::string_view>& bytes, size_t* size) {
  return bytes.has_value() ? Show(*bytes, size) : ShowNothing(size);
}

}  // namespace

extern "C" {

betr_code betr_new_difference(betr_store* store, const betr_view* view, betr_tree before_tree, const void* before,
                              size_t before_size, betr_tree after_tree, const void* after, size_t after_size,
                              betr_difference** difference) {
  Clear(difference);
  return Answer({FaultOfHandle(store), FaultOf(before, before_size, "before"), FaultOf(after, after_size, "after"),
                 FaultOf(difference, "difference")},
                [&]() -> absl::Status {
                  BETR_ASSIGN_OR_RETURN(
                      std::unique_ptr<DifferenceCursor> made,
                      store->store->NewDifference(ViewOf(*store, view), PrefixOf(before_tree, before, before_size),
                                                  PrefixOf(after_tree, after, after_size)));
                  *difference = new betr_difference{store->store, std::move(made)};
                  return absl::OkStatus();
                });
}

void betr_difference_free(betr_difference* difference) { delete difference; }

betr_code betr_difference_seek_to_first(betr_difference* difference) {
  return betr_difference_seek(difference, nullptr, 0, BETR_AT);
}

betr_code betr_difference_seek(betr_difference* difference, const void* data, size_t size, int side) {
  return SeekBy(difference, {data, size, side},
                [](DifferenceCursor& moving, const Bound& bound) { moving.Seek(bound); });
}

betr_code betr_difference_next(betr_difference* difference) {
  return StepBy(difference, [](DifferenceCursor& moving) { moving.Next(); });
}

bool betr_difference_valid(const betr_difference* difference) { return IsOnKey(difference); }

const void* betr_difference_key(const betr_difference* difference, size_t* size) {
  return IsOnKey(difference) ? Show(difference->cursor->Key(), size) : ShowNothing(size);
}

const void* betr_difference_before(const betr_difference* difference, size_t* size) {
  return IsOnKey(difference) ? ShowOptional(difference->cursor->Before(), size) : ShowNothing(size);
}

const void* betr_difference_after(const betr_difference* difference, size_t* size) {
  return IsOnKey(difference) ? ShowOptional(difference->cursor->After(), size) : ShowNothing(size);
}

}  // extern "C"

}  // namespace betr::c
