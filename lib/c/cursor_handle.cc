// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "base/status.h"
#include "betr/cursor.h"
#include "c/moves.h"

namespace betr::c {

extern "C" {

betr_code betr_new_cursor(betr_store* store, const betr_view* view, betr_tree tree, const betr_range* range,
                          betr_cursor** cursor) {
  Clear(cursor);
  return Answer({FaultOfHandle(store), FaultOf(range), FaultOf(cursor, "cursor")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(std::unique_ptr<Cursor> made,
                          store->store->NewCursor(ViewOf(*store, view), TreeId{tree}, RangeOf(range)));
    *cursor = new betr_cursor{store->store, std::move(made)};
    return absl::OkStatus();
  });
}

void betr_cursor_free(betr_cursor* cursor) { delete cursor; }

betr_code betr_cursor_seek_to_first(betr_cursor* cursor) {
  return MoveBy(cursor, [](Cursor& moving) { moving.SeekToFirst(); });
}

betr_code betr_cursor_seek_to_last(betr_cursor* cursor) {
  return MoveBy(cursor, [](Cursor& moving) { moving.SeekToLast(); });
}

betr_code betr_cursor_seek(betr_cursor* cursor, const void* data, size_t size, int side) {
  return SeekBy(cursor, {data, size, side}, [](Cursor& moving, const Bound& bound) { moving.Seek(bound); });
}

betr_code betr_cursor_seek_before(betr_cursor* cursor, const void* data, size_t size, int side) {
  return SeekBy(cursor, {data, size, side}, [](Cursor& moving, const Bound& bound) { moving.SeekBefore(bound); });
}

betr_code betr_cursor_next(betr_cursor* cursor) {
  return StepBy(cursor, [](Cursor& moving) { moving.Next(); });
}

betr_code betr_cursor_prev(betr_cursor* cursor) {
  return StepBy(cursor, [](Cursor& moving) { moving.Prev(); });
}

bool betr_cursor_valid(const betr_cursor* cursor) { return IsOnKey(cursor); }

const void* betr_cursor_key(const betr_cursor* cursor, size_t* size) {
  return IsOnKey(cursor) ? Show(cursor->cursor->Key(), size) : ShowNothing(size);
}

const void* betr_cursor_value(const betr_cursor* cursor, size_t* size) {
  return IsOnKey(cursor) ? Show(cursor->cursor->Value(), size) : ShowNothing(size);
}

}  // extern "C"

}  // namespace betr::c
