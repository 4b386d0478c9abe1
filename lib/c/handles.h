// SPDX-License-Identifier: Apache-2.0
// What is behind the handles. Whatever reads a store keeps it alive, and is destroyed before it: members are destroyed
// from the last to the first.
#pragma once

#include <memory>

#include "betr/c.h"
#include "betr/store.h"
#include "c/given.h"

struct betr_store {
  std::shared_ptr<betr::Store> store;
  betr::FormatOptions format;  // whose strings callers are shown

  betr::Store& target() const { return *store; }
};

struct betr_batch {
  betr::WriteBatch batch;

  betr::WriteBatch& target() { return batch; }
};

struct betr_view {
  std::shared_ptr<betr::Store> store;
  std::shared_ptr<const betr::ReadView> view;
};

struct betr_cursor {
  std::shared_ptr<betr::Store> store;
  std::unique_ptr<betr::Cursor> cursor;
};

struct betr_difference {
  std::shared_ptr<betr::Store> store;
  std::unique_ptr<betr::DifferenceCursor> cursor;
};

namespace betr::c {

template <>
inline constexpr const char* kNameOf<betr_store> = "store";
template <>
inline constexpr const char* kNameOf<betr_batch> = "batch";
template <>
inline constexpr const char* kNameOf<betr_view> = "view";
template <>
inline constexpr const char* kNameOf<betr_cursor> = "cursor";
template <>
inline constexpr const char* kNameOf<betr_difference> = "difference";

// What a view shows. For null, the present state.
inline std::shared_ptr<const ReadView> ViewOf(const betr_store& store, const betr_view* view) {
  return view != nullptr ? view->view : store.store->Pin();
}

}  // namespace betr::c
