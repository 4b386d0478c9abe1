// SPDX-License-Identifier: Apache-2.0
#include "support/damage/scattered.h"

#include "support/damage/bench.h"
#include "support/must.h"

namespace betr::test {

Subject ScatteredStore() {
  const Subject whole = WideStore();
  Bench bench(whole);
  bench.Scatter();
  Subject scattered = whole;
  scattered.name = "scattered store";
  scattered.history = {bench.device().Pages()};
  bench.Change([](Store& store) {
    const TreeId tree = Must(store.FindTree("main"));
    for (const char* key : {"key/003", "key/017", "key/031"}) Must(store.Put(tree, key, std::string(300, 'n')));
    Must(store.Compact(tree));
  });
  bench.Scatter();
  scattered.image = bench.device().Pages();
  scattered.states = {ReadContents(*Must(OpenSubject(bench.device(), true)))};
  return scattered;
}

}  // namespace betr::test
