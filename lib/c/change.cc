// SPDX-License-Identifier: Apache-2.0
// The changes that both a store and a batch take, written once for both handles.
#include "c/answer.h"
#include "c/handles.h"

namespace betr::c {
namespace {

template <class Handle>
betr_code Put(Handle* to, betr_tree tree, const void* key, size_t key_size, const void* value, size_t value_size) {
  return Answer({FaultOfHandle(to), FaultOf(key, key_size, "key"), FaultOf(value, value_size, "value")},
                [&] { return to->target().Put(TreeId{tree}, BytesOf(key, key_size), BytesOf(value, value_size)); });
}

template <class Handle>
betr_code Erase(Handle* to, betr_tree tree, const void* key, size_t key_size) {
  return Answer({FaultOfHandle(to), FaultOf(key, key_size, "key")},
                [&] { return to->target().Erase(TreeId{tree}, BytesOf(key, key_size)); });
}

template <class Handle>
betr_code Upsert(Handle* to, betr_tree tree, const void* key, size_t key_size, uint16_t function, const void* delta,
                 size_t delta_size) {
  return Answer({FaultOfHandle(to), FaultOf(key, key_size, "key"), FaultOf(delta, delta_size, "delta")}, [&] {
    return to->target().Upsert(TreeId{tree}, BytesOf(key, key_size), function, BytesOf(delta, delta_size));
  });
}

template <class Handle>
betr_code EraseRange(Handle* to, betr_tree tree, const betr_range* range) {
  // Elsewhere null stands for the whole tree. Here it is refused, so that nobody loses a tree by mistake.
  return Answer({FaultOfHandle(to), FaultOf(range, "range"), FaultOf(range)},
                [&] { return to->target().EraseRange(TreeId{tree}, RangeOf(range)); });
}

// The prefixes of a clone or a rename.
struct Prefixes {
  betr_tree from_tree;
  const void* from;
  size_t from_size;
  betr_tree to_tree;
  const void* to;
  size_t to_size;
};

template <class Handle>
betr_code Move(Handle* handle, const Prefixes& given, auto method) {
  return Answer(
      {FaultOfHandle(handle), FaultOf(given.from, given.from_size, "from"), FaultOf(given.to, given.to_size, "to")},
      [&] {
        return (handle->target().*method)(TreeId{given.from_tree}, BytesOf(given.from, given.from_size),
                                          TreeId{given.to_tree}, BytesOf(given.to, given.to_size));
      });
}

}  // namespace

extern "C" {

betr_code betr_put(betr_store* store, betr_tree tree, const void* key, size_t key_size, const void* value,
                   size_t value_size) {
  return Put(store, tree, key, key_size, value, value_size);
}

betr_code betr_batch_put(betr_batch* batch, betr_tree tree, const void* key, size_t key_size, const void* value,
                         size_t value_size) {
  return Put(batch, tree, key, key_size, value, value_size);
}

betr_code betr_erase(betr_store* store, betr_tree tree, const void* key, size_t key_size) {
  return Erase(store, tree, key, key_size);
}

betr_code betr_batch_erase(betr_batch* batch, betr_tree tree, const void* key, size_t key_size) {
  return Erase(batch, tree, key, key_size);
}

betr_code betr_upsert(betr_store* store, betr_tree tree, const void* key, size_t key_size, uint16_t function,
                      const void* delta, size_t delta_size) {
  return Upsert(store, tree, key, key_size, function, delta, delta_size);
}

betr_code betr_batch_upsert(betr_batch* batch, betr_tree tree, const void* key, size_t key_size, uint16_t function,
                            const void* delta, size_t delta_size) {
  return Upsert(batch, tree, key, key_size, function, delta, delta_size);
}

betr_code betr_erase_range(betr_store* store, betr_tree tree, const betr_range* range) {
  return EraseRange(store, tree, range);
}

betr_code betr_batch_erase_range(betr_batch* batch, betr_tree tree, const betr_range* range) {
  return EraseRange(batch, tree, range);
}

betr_code betr_clone_prefix(betr_store* store, betr_tree from_tree, const void* from, size_t from_size,
                            betr_tree to_tree, const void* to, size_t to_size) {
  return Move(store, {from_tree, from, from_size, to_tree, to, to_size}, &Store::ClonePrefix);
}

betr_code betr_batch_clone_prefix(betr_batch* batch, betr_tree from_tree, const void* from, size_t from_size,
                                  betr_tree to_tree, const void* to, size_t to_size) {
  return Move(batch, {from_tree, from, from_size, to_tree, to, to_size}, &WriteBatch::ClonePrefix);
}

betr_code betr_rename_prefix(betr_store* store, betr_tree from_tree, const void* from, size_t from_size,
                             betr_tree to_tree, const void* to, size_t to_size) {
  return Move(store, {from_tree, from, from_size, to_tree, to, to_size}, &Store::RenamePrefix);
}

betr_code betr_batch_rename_prefix(betr_batch* batch, betr_tree from_tree, const void* from, size_t from_size,
                                   betr_tree to_tree, const void* to, size_t to_size) {
  return Move(batch, {from_tree, from, from_size, to_tree, to, to_size}, &WriteBatch::RenamePrefix);
}

}  // extern "C"

}  // namespace betr::c
