// SPDX-License-Identifier: Apache-2.0
// The payload of a log record: a batch of changes.
#include "base/check.h"
#include "fuzz/fuzz.h"
#include "store/batch_codec.h"

namespace betr {
namespace {

void AddOp(Random& random, WriteBatch& batch) {
  const TreeId tree{1 + random.Uniform(5)};
  const std::string key = random.String(random.Uniform(12));
  switch (random.Uniform(6)) {
    case 0:
      return batch.Put(tree, key, random.String(random.Uniform(40)));
    case 1:
      return batch.Erase(tree, key);
    case 2:
      return batch.Upsert(tree, key, static_cast<uint16_t>(1 + random.Uniform(30)), random.String(random.Uniform(9)));
    case 3:
      return batch.EraseRange(tree, Range::Prefix(key));
    case 4:
      return batch.ClonePrefix(tree, key, TreeId{1 + random.Uniform(5)}, random.String(5));
    default:
      return batch.RenamePrefix(tree, "from" + key, tree, "to" + key);
  }
}

std::string RandomBatch(Random& random) {
  WriteBatch batch;
  for (uint64_t n = 1 + random.Uniform(8); n > 0; --n) AddOp(random, batch);
  return store::EncodeBatch(batch.ops());
}

}  // namespace
}  // namespace betr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr;  // NOLINT(google-build-using-namespace)
  layout::FuzzInput input(data, size);
  const std::string bytes = layout::FuzzedText(input, RandomBatch);
  const auto ops = store::DecodeBatch(bytes);
  if (ops.ok()) {
    Check(store::ValidateOps(*ops).ok(), "a batch that was read is one that could have been written");
    Check(store::EncodeBatch(*ops) == bytes, "a batch has one form");
  }
  return 0;
}
