// SPDX-License-Identifier: Apache-2.0
// The order in which a checkpoint writes nodes, of a state that contradicts itself.
#include "store/key_order.h"

#include <catch2/catch.hpp>
#include <utility>

#include "betr/store.h"
#include "device/memory_device.h"
#include "store/offline/inspect.h"
#include "support/must.h"

namespace betr::test {

TEST_CASE("nodes in a row, each as tall as the next one, are no way down that uses up the stack", "[store]") {
  constexpr uint64_t kNodes = 100'000;
  MemoryDevice device(MiB(4));
  FormatOptions format;
  format.log_size = KiB(64);
  Must(Store::Format(device, format));
  const auto image = Must(store::Inspection::Open(device, MiB(4)));
  store::State state;
  state.table.StartChanging();
  for (uint64_t id = 1; id <= kNodes; ++id) {
    dag::Node node = dag::EmptyNode(1, Range::All(), {});
    node.edges[0].link.target = NodeId{id + 1};
    state.table.Set(NodeId{id}, {1, 1, {}, image->core().io->Adopt(NodeId{id}, std::move(node))});
  }
  state.trees.Set({TreeId{1}, "tree", NodeId{1}, {}, false});
  CHECK(store::DirtyInKeyOrder(state).size() == kNodes);
}

}  // namespace betr::test
