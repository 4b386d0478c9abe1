// SPDX-License-Identifier: Apache-2.0
// Batches: what only they can do, and how they are written.
#include "c/answer.h"
#include "c/handles.h"
#include "c/sized.h"

namespace betr::c {
namespace {

absl::Status Return(const BatchSize& size, betr_batch_size* result) {
  return WriteSized({0, size.bytes.value, size.changes, size.ranges, size.bounds.value}, result, "size");
}

}  // namespace

extern "C" {

betr_batch* betr_batch_new(void) {
  betr_batch* batch = nullptr;
  Answer({}, [&] { batch = new betr_batch; });
  return batch;
}

void betr_batch_free(betr_batch* batch) { delete batch; }

betr_code betr_batch_create_tree(betr_batch* batch, betr_tree tree, const void* name, size_t name_size,
                                 const char* compression) {
  return Answer({FaultOfHandle(batch), FaultOf(name, name_size, "name")},
                [&] { batch->batch.CreateTree(TreeId{tree}, BytesOf(name, name_size), StringOf(compression)); });
}

betr_code betr_batch_snapshot(betr_batch* batch, betr_tree tree, const void* name, size_t name_size,
                              betr_tree snapshot) {
  return Answer({FaultOfHandle(batch), FaultOf(name, name_size, "name")},
                [&] { batch->batch.Snapshot(TreeId{tree}, BytesOf(name, name_size), TreeId{snapshot}); });
}

betr_code betr_batch_drop_tree(betr_batch* batch, betr_tree tree) {
  return Answer({FaultOfHandle(batch)}, [&] { batch->batch.DropTree(TreeId{tree}); });
}

betr_code betr_batch_may_use_reserve(betr_batch* batch) {
  return Answer({FaultOfHandle(batch)}, [&] { batch->batch.MayUseReserve(); });
}

betr_code betr_batch_clear(betr_batch* batch) {
  return Answer({FaultOfHandle(batch)}, [&] { batch->batch.Clear(); });
}

betr_code betr_batch_measure(const betr_batch* batch, betr_batch_size* size) {
  ClearSized(size);
  return Answer({FaultOfHandle(batch), FaultOf(size, "size")}, [&] { return Return(batch->batch.Sizes(), size); });
}

betr_code betr_write(betr_store* store, const betr_batch* batch) {
  return Answer({FaultOfHandle(store), FaultOfHandle(batch)}, [&] { return store->store->Write(batch->batch); });
}

betr_code betr_max_batch(betr_store* store, betr_batch_size* size) {
  ClearSized(size);
  return Answer({FaultOfHandle(store), FaultOf(size, "size")}, [&] { return Return(store->store->MaxBatch(), size); });
}

}  // extern "C"

}  // namespace betr::c
