// SPDX-License-Identifier: Apache-2.0
// fsck.betr on images that are whole, damaged, and wrong.
#include "fsck.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "betr/store.h"
#include "device/file_device.h"
#include "fsck_options.h"
#include "support/dag/upserts.h"
#include "support/must.h"
#include "support/store/check_image.h"
#include "support/tools/man_page.h"
#include "support/tools/run_fsck.h"
#include "support/tools/sample_image.h"

namespace betr::tools {
namespace {

using Holder = store::UsedExtent::Holder;
using nlohmann::json;

// The height-0 node with most references, and its record.
NodeId SomeSharedNode(const store::State& state) {
  NodeId best;
  uint32_t references = 1;
  state.table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (record.references > references) {
      best = id;
      references = record.references;
    }
  });
  REQUIRE(best != kNoNode);
  return best;
}

void SetReferences(store::State& state, NodeId id, uint32_t references) {
  dag::NodeRecord record = *state.table.Find(id);
  record.references = references;
  state.table.Set(id, std::move(record));
}

TEST_CASE("fsck finds nothing in a whole image and changes nothing") {
  const SampleImage image;
  const std::string before = image.Content();
  ToolRun run;
  CHECK_FSCK(0, run, image.path());
  CHECK(Says(run, ": clean, but without a file system, "));
  CHECK_FSCK(0, run, "-p", image.path());
  CHECK(Says(run, ": clean (not looked at closely), but without a file system, "));
  CHECK_FSCK(0, run, "--data", image.path());
  CHECK(Says(run, ": clean, but without a file system, "));
  CHECK_FSCK(0, run, "-n", "-f", image.path());
  CHECK_FSCK(0, run, "-q", image.path());
  CHECK(run.out.empty());
  CHECK_FSCK(0, run, "--json", image.path());
  const json document = json::parse(run.out);
  CHECK(document["schema"] == "betr.fsck");
  CHECK(document["exit_code"] == 0);
  CHECK(document["findings"].empty());
  CHECK(document["figures"]["nodes"] > 50);
  CHECK(document["figures"]["trees"] == 3);
  CHECK(image.Content() == before);
}

TEST_CASE("fsck -p looks closely only at what was not closed cleanly") {
  const SampleImage image;
  ToolRun run;
  CHECK_FSCK(0, run, "-p", image.path());
  CHECK(Says(run, "not looked at closely"));
  CHECK_FSCK(0, run, "-a", "-f", image.path());
  CHECK_FALSE(Says(run, "not looked at closely"));
  image.AddLogRecords();
  CHECK_FSCK(0, run, "-p", image.path());
  CHECK_FALSE(Says(run, "not looked at closely"));
  CHECK(Says(run, "3 log records to replay"));
}

TEST_CASE("fsck tells what is lost with a node, and guesses only with -y") {
  ToolRun run;
  SECTION("as text") {
    const SampleImage image;
    image.FlipExtent(Holder::kNode, 7);
    CHECK_FSCK(4, run, image.path());
    CHECK(Says(run, "node "));
    CHECK(Says(run, "checksum"));
    CHECK_FSCK(4, run, "-p", "-f", image.path());
    CHECK_FALSE(Says(run, "repaired: "));
    CHECK_FSCK(1, run, "-y", image.path());
    CHECK(Says(run, "lost: tree \"main\": keys from /"));
    CHECK_FSCK(0, run, "-f", image.path());
  }
  SECTION("as JSON") {
    const SampleImage image;
    image.FlipExtent(Holder::kNode, 7);
    CHECK(run.Run(Fsck, {"-y", "--json", image.path()}) == 1);
    const json document = json::parse(run.out);
    CHECK_FALSE(document["dry_run"]);
    REQUIRE_FALSE(document["lost"].empty());
    for (const json& lost : document["lost"]) {
      CHECK(lost["kind"] == "keys");
      CHECK_FALSE(lost["tree"].get<std::string>().empty());
      CHECK(lost["from"].get<std::string>() < lost["to"].get<std::string>());
    }
  }
  SECTION("with a dry run") {
    const SampleImage image;
    image.FlipExtent(Holder::kNode, 7);
    CHECK_FSCK(4, run, "-y", "--dry-run", image.path());
    CHECK(Says(run, "would be lost: tree \"main\": keys from /"));
    CHECK(Says(run, "would be repaired, 0 errors left"));
    CHECK_FSCK(16, run, "--dry-run", image.path());
    CHECK_FSCK(16, run, "-n", "--dry-run", image.path());
    CHECK_FSCK(1, run, "-y", image.path());
    CHECK_FSCK(0, run, "-y", "--dry-run", image.path());
  }
}

TEST_CASE("fsck reports damage wherever it is, and repairs it") {
  ToolRun run;
  SECTION("in the table") {
    const SampleImage image;
    image.FlipExtent(Holder::kTablePage, 1);
    CHECK_FSCK(4, run, image.path());
    CHECK(Says(run, "node table: page at unit "));
    CHECK_FSCK(1, run, "-y", image.path());
    CHECK_FALSE(Says(run, "lost: "));
    CHECK_FSCK(0, run, "-f", image.path());
  }
  SECTION("in one copy of the catalog") {
    const SampleImage image;
    image.FlipExtent(Holder::kCatalog, GENERATE(0U, 1U));
    CHECK_FSCK(4, run, image.path());
    CHECK(Says(run, "catalog: checksum is"));
    CHECK(Says(run, "the other copy is intact"));
    CHECK_FSCK(1, run, "-p", image.path());
    CHECK(Says(run, "catalog: both copies are intact"));
    CHECK_FSCK(0, run, "-f", image.path());
  }
  SECTION("in both copies of the catalog") {
    const SampleImage image;
    image.FlipExtent(Holder::kCatalog, 0);
    image.FlipExtent(Holder::kCatalog, 1);
    CHECK_FSCK(4, run, image.path());
    CHECK(Says(run, "catalog"));
    CHECK_FSCK(1, run, "-y", image.path());
    CHECK(Says(run, "nobody names it any more: tree \"lost+found."));
    CHECK_FSCK(0, run, "-f", image.path());
  }
  SECTION("in the log") {
    const SampleImage image;
    image.AddLogRecords();
    Bytes frame{0};
    image.Inspect([&](store::Inspection& look) {
      const uint64_t head = look.log_start().position.sequence;
      frame = look.log_area().offset + kBlockSize * (head % look.log_area().Blocks());
    });
    image.Flip(frame + Bytes{100});
    // The records had not been followed by a flush that another frame tells of: the log just ends here.
    CHECK_FSCK(0, run, image.path());
    CHECK(Says(run, "log: its last frame is not whole"));
  }
}

TEST_CASE("every node, page and catalog of an image is looked at") {
  const SampleImage image;
  std::vector<Bytes> places;
  image.Inspect([&](store::Inspection& look) {
    for (const store::UsedExtent& used : look.extents()) {
      const dag::NodeRecord* record =
          used.holder == Holder::kNode ? look.state()->table.Find(NodeId{used.id}) : nullptr;
      // Leaves that are dead are never read again.
      if (record == nullptr || !record->Dead() || record->height > 0) places.push_back(used.extent.Offset());
    }
  });
  for (const Bytes place : places) {
    image.Flip(place + Bytes{70});
    const auto device = FileDevice::Open(image.path(), FileDevice::Access::kReadOnly);
    REQUIRE(device.ok());
    const auto findings = test::CheckImage(**device);
    REQUIRE(findings.ok());
    INFO("byte " << place.value + 70);
    CHECK_FALSE(findings->empty());
    image.Flip(place + Bytes{70});
  }
}

TEST_CASE("fsck goes on with the older superblock, and -y makes the other one good again") {
  const SampleImage image;
  size_t newest = 0;
  image.Inspect([&](store::Inspection& look) { newest = look.slot(); });
  ToolRun run;
  SECTION("when the slot that is not needed is damaged") {
    image.Flip(layout::kSlotOffset[1 - newest] + Bytes{50});
    CHECK_FSCK(4, run, image.path());
    CHECK(Says(run, "superblock"));
    CHECK_FSCK(1, run, "-y", image.path());
    CHECK_FSCK(0, run, "-f", image.path());
  }
  SECTION("when the newest is damaged") {
    image.Flip(layout::kSlotOffset[newest] + Bytes{50});
    CHECK_FSCK(4, run, image.path());
    CHECK(Says(run, "superblock"));
    CHECK_FSCK(1, run, "-y", image.path());
    CHECK_FSCK(0, run, "-f", image.path());
  }
  SECTION("when both are") {
    image.Flip(layout::kSlotOffset[0] + Bytes{50});
    image.Flip(layout::kSlotOffset[1] + Bytes{50});
    CHECK_FSCK(4, run, image.path());
    CHECK(Says(run, "fsck.betr -y goes on with that"));
    CHECK_FSCK(1, run, "-y", image.path());
    CHECK(Says(run, "made anew from the copy"));
    CHECK_FSCK(0, run, "-f", image.path());
  }
}

TEST_CASE("fsck -p does not go on with what may be an older state") {
  const SampleImage image;
  image.AddLogRecords();
  size_t newest = 0;
  image.Inspect([&](store::Inspection& look) { newest = look.slot(); });
  image.Flip(layout::kSlotOffset[1 - newest] + Bytes{50});
  ToolRun run;
  CHECK_FSCK(4, run, "-p", image.path());
  CHECK(Says(run, "which may be an older one"));
  CHECK(Says(run, "what may be an older state is not gone on with: -y does so"));
  CHECK_FALSE(Says(run, "repaired: "));
  CHECK_FSCK(1, run, "-y", image.path());
  CHECK(Says(run, "lost: what may have been synced later: slot "));
  CHECK_FSCK(0, run, "-f", image.path());
}

TEST_CASE("fsck -y mends counts and removes nodes that nobody names; then the image is clean") {
  const SampleImage image;
  SECTION("a count too high") {
    image.Forge([](store::Inspection&, store::State& state) {
      const NodeId id = SomeSharedNode(state);
      SetReferences(state, id, state.table.Find(id)->references + 3);
    });
  }
  SECTION("a count too low") {
    image.Forge([](store::Inspection&, store::State& state) { SetReferences(state, SomeSharedNode(state), 1); });
  }
  SECTION("a node that is in use, and marked as dead") {
    image.Forge([](store::Inspection&, store::State& state) { SetReferences(state, SomeSharedNode(state), 0); });
  }
  SECTION("a node that nobody names") {
    image.Forge([](store::Inspection& look, store::State& state) {
      const NodeId id = state.next_node;
      state.next_node = id.Next();
      auto slot = look.core().io->Adopt(id, dag::EmptyNode(0, Range::All(), Codec{}));
      state.table.Set(id, {1, 0, {}, std::move(slot)});
    });
  }
  ToolRun run;
  const std::string before = image.Content();
  CHECK_FSCK(4, run, image.path());
  CHECK(Says(run, "reference count is "));
  CHECK(image.Content() == before);
  CHECK_FSCK(1, run, "-y", "--json", image.path());
  const json document = json::parse(run.out);
  CHECK(document["findings"].size() == 1);
  CHECK(document["repaired"].size() == 1);
  CHECK_FSCK(0, run, "-f", image.path());
  CHECK(Says(run, ": clean, "));
}

TEST_CASE("fsck keeps what is in the log when it repairs") {
  const SampleImage image;
  image.AddLogRecords();
  image.Forge([](store::Inspection&, store::State& state) {
    const NodeId id = SomeSharedNode(state);
    SetReferences(state, id, state.table.Find(id)->references + 1);
  });
  ToolRun run;
  CHECK_FSCK(1, run, "-y", image.path());
  CHECK_FSCK(0, run, image.path());
  auto store = Store::OpenImage(image.path(), StoreOptions{.cache_size = MiB(8),
                                                           .read_only = true,
                                                           .experiments = {},
                                                           .functions = {},
                                                           .program = {},
                                                           .on_unreadable = {}});
  REQUIRE(store.ok());
  const auto tree = (*store)->FindTree("main");
  REQUIRE(tree.ok());
  CHECK(*(*store)->Get(*tree, "new\n") == "value");
}

TEST_CASE("fsck leaves upserts of functions that it does not know alone, and says so") {
  const SampleImage image;
  StoreOptions options;
  options.cache_size = MiB(8);
  options.background = false;
  REQUIRE(options.functions.Add(std::make_shared<test::AppendFunction>()).ok());
  const auto append = [&](bool is_crash) {
    const auto store = test::Must(Store::OpenImage(image.path(), options));
    const TreeId tree = test::Must(store->FindTree("main"));
    test::Must(store->Upsert(tree, "new", test::AppendFunction::kNumber, "+"));
    test::Must(is_crash ? store->Sync() : store->Close());
  };
  ToolRun run;
  append(true);
  CHECK_FSCK(0, run, "-y", image.path());
  CHECK(Says(run, "upsert function 7, which"));
  append(true);
  CHECK_FSCK(0, run, "-p", "-f", image.path());
  CHECK(Says(run, "upsert function 7, which"));
  append(false);
  CHECK_FSCK(0, run, "-y", image.path());
  CHECK(Says(run, "upsert function 7 \"test.append\""));
  const auto store = test::Must(Store::OpenImage(image.path(), options));
  CHECK(test::Must(store->Get(test::Must(store->FindTree("main")), "new")) == "+++");
}

TEST_CASE("fsck --data reads and verifies everything") {
  const SampleImage image;
  ToolRun run;
  CHECK_FSCK(0, run, "--data", image.path());
  CHECK(Says(run, "read and verified"));
  CHECK_FSCK(0, run, "--data", "--json", image.path());
  CHECK(json::parse(run.out)["figures"]["scrubbed_blocks"] > 50);
  std::vector<Bytes> ends;
  image.Inspect([&](store::Inspection& look) {
    for (const store::UsedExtent& used : look.extents()) {
      const dag::NodeRecord* record = look.state()->table.Find(NodeId{used.id});
      if (used.holder == Holder::kNode && (!record->Dead() || record->height > 0)) ends.push_back(used.extent.Offset());
    }
  });
  for (const Bytes place : ends) {
    image.Flip(place + Bytes{30});
    CHECK_FSCK(4, run, "--data", image.path());
    image.Flip(place + Bytes{30});
  }
  image.FlipExtent(Holder::kNode, 7);
  CHECK_FSCK(4, run, "--data", image.path());
  CHECK(Says(run, "node "));
  CHECK_FSCK(1, run, "--data", "-y", image.path());
  CHECK_FSCK(0, run, "--data", image.path());
}

TEST_CASE("the manual of fsck.betr explains the options of its parser") {
  std::stringstream stream;
  ManualClock clock;
  ToolIo io{.in = stream, .out = stream, .err = stream, .environment = {}, .clock = clock};
  Tool tool(FsckDescription(), io);
  FsckOptions options;
  AddFsckOptions(tool, &options);
  const std::set<std::string> parser = OptionsOfParser(tool.app());
  CHECK(OptionsOfHelp(tool.app().help()) == parser);
  CHECK(OptionsOfPage(ReadManPage("fsck.betr.8")) == parser);
}

}  // namespace
}  // namespace betr::tools
