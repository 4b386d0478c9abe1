// SPDX-License-Identifier: Apache-2.0
// Where a superblock says that the log begins: what lies before it is written over.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <utility>

#include "device/memory_device.h"
#include "support/device/hook_device.h"
#include "support/store/small_image.h"

namespace betr::test {

TEST_CASE("a checkpoint that has nothing new but the log's place says where that is", "[store][log]") {
  MemoryDevice memory(MiB(4));
  std::function<void()> before_write;
  HookDevice device(memory, nullptr, [&] {
    if (const auto act = std::exchange(before_write, nullptr)) act();
    return absl::OkStatus();
  });
  Must(Store::Format(memory, SmallFormat()));
  const auto store = OpenOn(device);
  const TreeId tree = Must(store->CreateTree("t"));
  Must(store->Checkpoint());
  // The log writes what the checkpoint has, too, and goes on behind it: some blocks.
  Must(store->Put(tree, "large", std::string(20'000, 'v')));
  before_write = [&] { Must(store->Sync()); };
  Must(store->Checkpoint());
  CHECK(before_write == nullptr);
  Must(store->Checkpoint());
  // Nearly once round: the place that the first of them told is written over.
  constexpr int kFrames = 60;
  for (int i = 0; i < kFrames; ++i) {
    Must(store->Put(tree, std::to_string(i), "value"));
    Must(store->Sync());
  }
  MemoryDevice crashed(memory.Size(), memory.Pages());
  CHECK(ContentOf(*OpenOn(crashed)).size() == kFrames + 1);
}

}  // namespace betr::test
