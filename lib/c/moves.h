// SPDX-License-Identifier: Apache-2.0
// What the handles of Cursor and DifferenceCursor have in common.
#pragma once

#include "c/answer.h"
#include "c/handles.h"
#include "c/returned.h"

namespace betr::c {

// Moves a cursor by `move(cursor)`. If it is on no key then because of an error, tells this error.
template <class Handle, class Move>
betr_code MoveBy(Handle* handle, Move&& move) noexcept {
  return Answer({FaultOfHandle(handle)}, [&] {
    std::forward<Move>(move)(*handle->cursor);
    return handle->cursor->status();
  });
}

// The same from a key to another one. The cursor must be on a key.
template <class Handle, class Move>
betr_code StepBy(Handle* handle, Move&& move) noexcept {
  return Answer({FaultOfHandle(handle)}, [&] {
    if (!handle->cursor->Valid()) return Check({{kNameOf<Handle>, "is on no key"}});
    std::forward<Move>(move)(*handle->cursor);
    return handle->cursor->status();
  });
}

// The same to a bound.
template <class Handle, class Move>
betr_code SeekBy(Handle* handle, const betr_bound& bound, Move&& move) noexcept {
  return Answer({FaultOfHandle(handle), FaultOf(bound, "bound")}, [&] {
    std::forward<Move>(move)(*handle->cursor, BoundOf(bound));
    return handle->cursor->status();
  });
}

template <class Handle>
bool IsOnKey(const Handle* handle) noexcept {
  return handle != nullptr && handle->cursor->Valid();
}

}  // namespace betr::c
