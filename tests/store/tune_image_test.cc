// SPDX-License-Identifier: Apache-2.0
// Images that get another name or reserve: what they hold, what a crash on the way leaves, what is refused.
#include "store/offline/tune_image.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "device/file_device.h"
#include "device/memory_device.h"
#include "device/recording_device.h"
#include "layout/format_options.h"
#include "layout/superblock_copy.h"
#include "support/device/temp_dir.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/check_image.h"
#include "support/store/small_image.h"

namespace betr::test {
namespace {

constexpr Bytes kSize = MiB(4);
constexpr const char* kUuid = "01234567-89ab-cdef-0123-456789abcdef";
constexpr const char* kOther = "76543210-89ab-cdef-0123-456789abcdef";

FormatOptions NamedFormat() {
  FormatOptions format = SmallFormat();
  format.label = "before";
  format.uuid = kUuid;
  return format;
}

// Puts some keys, and keeps note of them.
void PutSome(Store& store, Random& random, Content* content) {
  for (int i = 0; i < 300; ++i) {
    const std::string key = fmt::format("{:016x}", random.Next());
    (*content)[key] = random.String(100);
    Must(store.Put(Must(store.FindTree("t")), key, (*content)[key]));
  }
  Must(store.Sync());
}

enum class End { kClean, kCrash };

struct Image {
  Image(Random& random, End end) {
    MemoryDevice device(kSize);
    Must(Store::Format(device, NamedFormat()));
    std::unique_ptr<Store> store = OpenOn(device);
    Must(store->CreateTree("t").status());
    PutSome(*store, random, &content);
    Must(store->Checkpoint());
    PutSome(*store, random, &content);
    if (end == End::kClean) Must(store->Close());
    store.reset();
    pages = device.Pages();
  }

  Content content;
  PageMap pages;
};

TuneOptions Change(std::optional<std::string> label, std::optional<std::string> uuid = {},
                   std::optional<BasisPoints> reserve = {}) {
  TuneOptions change;
  change.label = std::move(label);
  change.uuid = std::move(uuid);
  change.reserve = reserve;
  return change;
}

TuneOptions Called(const std::string& uuid) { return Change({}, uuid); }

absl::Status Tune(BlockDevice& device, const TuneOptions& change) {
  return store::TuneImage(device, Must(layout::ReadToOpen(device)), change);
}

FormatOptions FormatOf(BlockDevice& device) { return layout::OptionsOf(Must(layout::ReadToOpen(device)).superblock); }

TuneOptions AllOf(End end) {
  TuneOptions change = Change("after", {}, BasisPoints{1000});
  if (end == End::kClean) change.uuid = kOther;
  return change;
}

// Whether the change was made; fails if there is something else than that, or nothing.
bool IsTuned(BlockDevice& device, End end) {
  const FormatOptions format = FormatOf(device);
  const bool is_tuned = format.label == "after";
  CHECK(format.label == (is_tuned ? "after" : "before"));
  CHECK(format.reserve.value == (is_tuned ? 1000 : 0));
  CHECK(format.uuid == (is_tuned && end == End::kClean ? kOther : kUuid));
  return is_tuned;
}

TEST_CASE("an image with another name and reserve holds what it held, and goes on", "[store]") {
  Random random(TestSeed());
  const End end = GENERATE(End::kClean, End::kCrash);
  Image image(random, end);
  MemoryDevice device(kSize, image.pages);
  Must(Tune(device, AllOf(end)));
  REQUIRE(IsTuned(device, end));
  CHECK(CheckImage(device).value().empty());
  for (int session = 0; session < 3; ++session) {
    const std::unique_ptr<Store> store = OpenOn(device);
    CHECK((ContentOf(*store) == image.content));
    CHECK(store->Space().reserve >= store->Space().total / 11);
    PutSome(*store, random, &image.content);
    if (session == 1) continue;  // is replayed, from a log with another name
    Must(store->Close());
  }
  CHECK(CheckImage(device).value().empty());
  CHECK(IsTuned(device, end));
}

TEST_CASE("an image whose tuning is cut short opens by itself, as it was or changed", "[store]") {
  Random random(TestSeed() + 1);
  const End end = GENERATE(End::kClean, End::kCrash);
  const Image image(random, end);
  MemoryDevice device(kSize, image.pages);
  RecordingDevice recorder(device, image.pages);
  Must(Tune(recorder, AllOf(end)));
  const WriteHistory& history = recorder.History();
  size_t before = 0;
  size_t after = 0;
  const auto go_on = [&](const CrashPlan& plan) {
    INFO("crash " << FormatPlan(plan));
    const std::unique_ptr<MemoryDevice> crashed = history.CrashImage(plan);
    ++(IsTuned(*crashed, end) ? after : before);
    REQUIRE(CheckImage(*crashed).value().empty());
    Content content = image.content;
    {
      const std::unique_ptr<Store> store = OpenOn(*crashed);
      REQUIRE((ContentOf(*store) == content));
      PutSome(*store, random, &content);
      Must(store->Close());
    }
    Must(Tune(*crashed, AllOf(End::kClean)));
    REQUIRE(IsTuned(*crashed, End::kClean));
    REQUIRE(CheckImage(*crashed).value().empty());
    REQUIRE((ContentOf(*OpenOn(*crashed)) == content));
  };
  for (size_t events = 0; events <= history.EventCount(); ++events) {
    go_on(history.PrefixPlan(events));
    go_on(history.SectorPlan(events, random));
  }
  CHECK(before > 0);
  CHECK(after > 0);
}

TEST_CASE("whichever superblock is lost after another name was given, the image goes on", "[store]") {
  Random random(TestSeed() + 2);
  const Image image(random, End::kClean);
  MemoryDevice device(kSize, image.pages);
  RecordingDevice recorder(device, image.pages);
  Must(Tune(recorder, AllOf(End::kClean)));
  const WriteHistory& history = recorder.History();
  for (size_t events = 0; events <= history.EventCount(); ++events) {
    for (const Bytes slot : layout::kSlotOffset) {
      INFO(events << " events, slot at " << slot.value);
      const std::unique_ptr<MemoryDevice> crashed = history.CrashImage(history.PrefixPlan(events));
      Must(crashed->Patch(slot, std::string(layout::kUnit.value, 'x')));
      CHECK_FALSE(layout::ReadToOpen(*crashed).ok());
      const auto superblock = layout::ReadNewest(*crashed);
      Must(superblock.status());
      Must(layout::RestoreSlots(*crashed, layout::RestoreFrom::kNewerCopy, nullptr).status());
      // Where the copy knew no more, it is the repair that makes the other slot anew.
      const auto newest = Must(layout::ReadNewest(*crashed)).superblock;
      Must(layout::WriteEverywhere(*crashed, newest));
      IsTuned(*crashed, End::kClean);
      CHECK(CheckImage(*crashed).value().empty());
      CHECK((ContentOf(*OpenOn(*crashed)) == image.content));
    }
  }
}

// Only a superblock may be behind by more than one crash: the copy.
TEST_CASE("an image whose tuning was cut short passes every check, also when its next session is", "[store]") {
  Random random(TestSeed() + 4);
  const Image image(random, End::kClean);
  MemoryDevice device(kSize, image.pages);
  RecordingDevice recorder(device, image.pages);
  Must(Tune(recorder, AllOf(End::kClean)));
  const WriteHistory& history = recorder.History();
  for (size_t events = 0; events <= history.EventCount(); ++events) {
    const std::unique_ptr<MemoryDevice> crashed = history.CrashImage(history.PrefixPlan(events));
    RecordingDevice session(*crashed, crashed->Pages());
    Content content = image.content;
    PutSome(*OpenOn(session), random, &content);
    const WriteHistory& after = session.History();
    for (size_t later = 0; later <= after.EventCount(); ++later) {
      INFO("crash after " << events << " events of tuning, and " << later << " of the session after it");
      const std::unique_ptr<MemoryDevice> again = after.CrashImage(after.PrefixPlan(later));
      const std::vector<store::Finding> findings = CheckImage(*again).value();
      CHECK((findings.empty() ? "" : findings.front().what) == "");
    }
  }
}

TEST_CASE("an image that has nothing to replay gets another uuid once it was opened and closed", "[store]") {
  Random random(TestSeed() + 5);
  MemoryDevice device(kSize);
  Must(Store::Format(device, NamedFormat()));
  Content content;
  {
    const std::unique_ptr<Store> store = OpenOn(device);
    Must(store->CreateTree("t").status());
    PutSome(*store, random, &content);
    Must(store->Checkpoint());
  }
  REQUIRE(absl::IsFailedPrecondition(Tune(device, Called(kOther))));
  RecordingDevice recorder(device, device.Pages());
  Must(OpenOn(recorder)->Close());
  CHECK(Must(layout::ReadToOpen(device)).superblock.log_opening != 0);
  Must(Tune(device, Called(kOther)));
  CHECK(FormatOf(device).uuid == kOther);
  CHECK((ContentOf(*OpenOn(device)) == content));

  const WriteHistory& history = recorder.History();
  for (size_t events = 0; events <= history.EventCount(); ++events) {
    for (const CrashPlan& plan : {history.PrefixPlan(events), history.SectorPlan(events, random)}) {
      INFO("crash " << FormatPlan(plan));
      const std::unique_ptr<MemoryDevice> crashed = history.CrashImage(plan);
      CHECK(CheckImage(*crashed).value().empty());
      CHECK((ContentOf(*OpenOn(*crashed)) == content));
      Must(OpenOn(*crashed)->Close());
      Must(Tune(*crashed, Called(kOther)));
    }
  }
}

TEST_CASE("who opens and closes an image that was closed writes nothing", "[store]") {
  Random random(TestSeed() + 6);
  const Image image(random, End::kClean);
  MemoryDevice device(kSize, image.pages);
  RecordingDevice recorder(device, image.pages);
  Must(OpenOn(recorder)->Close());
  CHECK(recorder.History().EventCount() == 0);
}

TEST_CASE("what an image cannot be called or keep is refused, and nothing changes", "[store]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  CHECK(absl::IsNotFound(Store::TuneImage(path, Change("x"))));
  Must(Store::CreateImage(path, kSize, NamedFormat()));
  const auto device = Must(FileDevice::Open(path, FileDevice::Access::kReadWrite));
  const layout::Superblock before = Must(layout::ReadToOpen(*device)).superblock;
  CHECK(absl::IsInvalidArgument(Store::TuneImage(path, Change(std::string(65, 'x')))));
  CHECK(absl::IsInvalidArgument(Store::TuneImage(path, Change(std::string("a\0b", 3)))));
  CHECK(absl::IsInvalidArgument(Store::TuneImage(path, Called("no uuid"))));
  CHECK(absl::IsInvalidArgument(Store::TuneImage(path, Called("00000000-0000-0000-0000-000000000000"))));
  CHECK(absl::IsInvalidArgument(Store::TuneImage(path, Change("x", {}, BasisPoints{5001}))));
  Must(Store::TuneImage(path, {}));
  Must(Store::TuneImage(path, Change("before", kUuid, BasisPoints{0})));
  CHECK((Must(layout::ReadToOpen(*device)).superblock == before));
  {
    const std::unique_ptr<Store> store = Must(Store::OpenImage(path, {}));
    CHECK(absl::IsFailedPrecondition(Store::TuneImage(path, Change("x"))));
    Must(store->CreateTree("t").status());
    Must(store->Sync());
  }
  // What the log has to replay is named by the uuid.
  const absl::Status refused = Store::TuneImage(path, Change("x", kOther));
  CHECK(absl::IsFailedPrecondition(refused));
  CHECK(FormatOf(*device).label == "before");
  Must(Store::TuneImage(path, Change("x")));
  Must(Must(Store::OpenImage(path, {}))->Close());
  Must(Store::TuneImage(path, Called("")));
  const FormatOptions format = FormatOf(*device);
  CHECK(format.label == "x");
  CHECK(format.uuid != kUuid);
  CHECK(Must(Store::OpenImage(path, {}))->FindTree("t").ok());
}

TEST_CASE("an image that gets its first name back is as it was made", "[store]") {
  Random random(TestSeed() + 3);
  const Image image(random, End::kClean);
  MemoryDevice device(kSize, image.pages);
  layout::Superblock before = Must(layout::ReadToOpen(device)).superblock;
  Must(Tune(device, AllOf(End::kClean)));
  const layout::Superblock between = Must(layout::ReadToOpen(device)).superblock;
  CHECK(between.FirstVersion() == before.FirstVersion());
  CHECK(between.features.read_only_compatible == layout::kTuned);
  Must(Tune(device, Change("before", kUuid, BasisPoints{0})));
  const layout::Superblock after = Must(layout::ReadToOpen(device)).superblock;
  before.generation = after.generation;
  CHECK((after == before));
}

TEST_CASE("the reserve is the share that was asked for, but no less than a full store needs", "[store]") {
  const auto reserve_of = [](Bytes size, uint32_t share, Bytes node_size = KiB(64)) {
    FormatOptions format = NamedFormat();
    format.node_size = node_size;
    format.reserve = BasisPoints{share};
    MemoryDevice device(size);
    Must(Store::Format(device, format));
    const std::unique_ptr<Store> store = OpenOn(device);
    CHECK(store->Format().reserve.value == share);
    return store->Space();
  };
  const Bytes least = reserve_of(MiB(16), 1).reserve;
  CHECK(least >= KiB(64) * 16);
  CHECK(reserve_of(MiB(16), 0).reserve >= least);
  CHECK(reserve_of(GiB(1), 1).reserve == least);
  // Never less than usual with small nodes.
  CHECK(reserve_of(GiB(1), 1, KiB(8)).reserve == reserve_of(GiB(1), 0, KiB(8)).reserve);
  for (const uint32_t share : {500, 2500, 5000}) {
    const SpaceStats space = reserve_of(MiB(64), share);
    INFO(share << ": " << space.reserve.value << " of " << space.total.value);
    CHECK(space.reserve.value * 10'000 / space.total.value <= share);
    CHECK((space.reserve.value + 4096) * 10'000 / space.total.value >= share - 1);
  }
}

}  // namespace
}  // namespace betr::test
