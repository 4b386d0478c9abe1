// SPDX-License-Identifier: Apache-2.0
// A log that is replayed where there is no space for what it says: what was replayed so far is made stable on the way,
// and each record is replayed once, also after a crash right then.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/random.h"
#include "dag/change/flush.h"
#include "dag/change/message_buffer.h"
#include "device/memory_device.h"
#include "store/checkpoint.h"
#include "store/node_io.h"
#include "store/offline/inspect.h"
#include "support/seed.h"
#include "support/store/small_image.h"

namespace betr::test {
namespace {

constexpr int kBatches = 60;

std::string Key(int number) { return fmt::format("key {:03}", number); }

// Nearly all of the log was written since the last checkpoint.
PageMap CrashedImage(Random& random, Content* content) {
  MemoryDevice device(MiB(4));
  Must(Store::Format(device, SmallFormat()));
  const auto store = OpenOn(device);
  const TreeId tree = Must(store->CreateTree("t"));
  Must(store->Checkpoint());
  for (int i = 0; i < kBatches; ++i) {
    (*content)[Key(i)] = random.String(2000);
    Must(store->Put(tree, Key(i), (*content)[Key(i)]));
  }
  Must(store->Sync());
  return device.Pages();
}

// Puts a tree of about that size into the state that the log is replayed upon.
absl::Status FillUp(MemoryDevice& device, Bytes size, Random& random) {
  const auto image = Must(store::Inspection::Open(device, MiB(4)));
  auto state = std::make_shared<store::State>(*image->state());
  state->table.StartChanging();
  dag::Edit edit(state->table, state->next_node, image->core().DagContext());
  dag::MessageBuffer messages(image->core().options.functions);
  for (int i = 0; messages.Size() < size; ++i) messages.Put(Key(i), random.String(4000));
  const NodeId empty = edit.Create(dag::EmptyNode(1, Range::All(), {}));
  const NodeId root = Must(dag::Insert(edit, empty, messages.Seal(*image->core().io)));
  state->table = edit.table();
  state->next_node = edit.next_id();
  state->trees.Set({state->next_tree, "filler", root, {}, false});
  state->next_tree = state->next_tree.Next();
  store::Checkpointer checkpointer(image->core(), image->state(), image->catalog());
  const store::Log::Checkpoint log = image->log_start();
  return checkpointer.Write({.state = state, .lsn = log.lsn, .log = log.position, .order = 1}).status();
}

TEST_CASE("a log that is replayed without space is replayed once", "[store][full]") {
  Random random(TestSeed());
  Content content;
  const PageMap crashed = CrashedImage(random, &content);
  int stable_on_the_way = 0;
  for (Bytes size = KiB(3392); size < KiB(3776); size += KiB(64)) {
    INFO("a tree of " << size.value / 1024 << " KiB");
    MemoryDevice device(MiB(4), crashed);
    if (!FillUp(device, size, random).ok()) break;
    const auto store = OpenOn(device);
    stable_on_the_way += store->Stats().checkpoints > 0 ? 1 : 0;
    CHECK((ContentOf(*store) == content));
    MemoryDevice again(device.Size(), device.Pages());
    CHECK((ContentOf(*OpenOn(again)) == content));
  }
  CHECK(stable_on_the_way > 0);
}

}  // namespace
}  // namespace betr::test
