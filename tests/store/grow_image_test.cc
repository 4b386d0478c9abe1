// SPDX-License-Identifier: Apache-2.0
// Images that become larger: what they hold, what a crash on the way leaves, what is refused.
#include <fmt/format.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/random.h"
#include "betr/store.h"
#include "device/memory_device.h"
#include "device/recording_device.h"
#include "layout/grow.h"
#include "layout/superblock_copy.h"
#include "support/device/temp_dir.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/check_image.h"
#include "support/store/small_image.h"

namespace betr::test {
namespace {

constexpr Bytes kSmall = MiB(4);
constexpr Bytes kLarge = MiB(16);

// Puts until there is no space; returns how many were taken.
size_t Fill(Store& store, Random& random, Content* content) {
  const TreeId tree = Must(store.FindTree("t"));
  for (size_t taken = 0;; ++taken) {
    const std::string key = fmt::format("{:016x}", random.Next());
    const std::string value = random.String(400);
    const absl::Status status = store.Put(tree, key, value);
    if (absl::IsResourceExhausted(status)) return taken;
    Must(status);
    (*content)[key] = value;
  }
}

enum class End { kClean, kCrash };

// An image of kSmall that is full, on a device of kLarge.
struct FullImage {
  FullImage(Random& random, End end) {
    MemoryDevice small(kSmall);
    Must(Store::Format(small, SmallFormat()));
    std::unique_ptr<Store> store = OpenOn(small);
    Must(store->CreateTree("t").status());
    CHECK(Fill(*store, random, &content) > 1000);
    Must(store->Sync());
    if (end == End::kClean) Must(store->Close());
    store.reset();
    pages = small.Pages();
  }

  Content content;
  PageMap pages;
};

Bytes SizeOf(BlockDevice& device) {
  return layout::UnitBytes(Must(layout::ReadToOpen(device)).superblock.device_units);
}

void GrowTo(BlockDevice& device, Bytes size) { Must(layout::Grow(device, Must(layout::ReadToOpen(device)), size)); }

TEST_CASE("an image that has become larger holds what it held, and more", "[store]") {
  Random random(TestSeed());
  const End end = GENERATE(End::kClean, End::kCrash);
  FullImage image(random, end);
  MemoryDevice device(kLarge, image.pages);
  GrowTo(device, kLarge);
  CHECK(SizeOf(device) == kLarge);
  CHECK(CheckImage(device).value().empty());
  std::string last(layout::kUnit.value, 'x');  // of before, where the copy was
  Must(device.Read(kSmall - layout::kUnit, last));
  CHECK(last.find_first_not_of('\0') == std::string::npos);
  {
    const std::unique_ptr<Store> store = OpenOn(device);
    CHECK((ContentOf(*store) == image.content));
    const size_t before = image.content.size();
    CHECK(Fill(*store, random, &image.content) > 2 * before);
    Must(store->Close());
  }
  CHECK(CheckImage(device).value().empty());
  CHECK((ContentOf(*OpenOn(device)) == image.content));
  // The end of before is space like any other: nobody takes what is there for a copy.
  CHECK(Must(layout::FindCopy(device)).device_units == kLarge / layout::kUnit);
}

TEST_CASE("an image whose growing is cut short opens by itself, and grows again", "[store]") {
  Random random(TestSeed() + 1);
  const End end = GENERATE(End::kClean, End::kCrash);
  const FullImage image(random, end);
  MemoryDevice device(kLarge, image.pages);
  RecordingDevice recorder(device, image.pages);
  GrowTo(recorder, kLarge);
  const WriteHistory& history = recorder.History();
  const auto go_on = [&](const CrashPlan& plan) {
    INFO("crash " << FormatPlan(plan));
    const std::unique_ptr<MemoryDevice> crashed = history.CrashImage(plan);
    const Bytes size = SizeOf(*crashed);
    REQUIRE((size == kSmall || size == kLarge));
    REQUIRE(CheckImage(*crashed).value().empty());
    Content content = image.content;
    {
      const std::unique_ptr<Store> store = OpenOn(*crashed);
      REQUIRE((ContentOf(*store) == content));
      if (size == kLarge) {  // and uses the new space, before anybody grows it again
        const TreeId tree = Must(store->FindTree("t"));
        for (int i = 0; i < 2000; ++i) {
          const std::string key = fmt::format("new {}", i);
          content[key] = random.String(400);
          Must(store->Put(tree, key, content[key]));
        }
        Must(store->Sync());
      }
    }
    GrowTo(*crashed, kLarge);
    REQUIRE(SizeOf(*crashed) == kLarge);
    REQUIRE(CheckImage(*crashed).value().empty());
    REQUIRE((ContentOf(*OpenOn(*crashed)) == content));
  };
  for (size_t events = 0; events <= history.EventCount(); ++events) {
    go_on(history.PrefixPlan(events));
    go_on(history.SectorPlan(events, random));
  }
}

TEST_CASE("the file of an image grows with it, and what cannot be is refused", "[store]") {
  const TempDir dir;
  const std::string path = dir.File("image");
  CHECK(absl::IsNotFound(Store::GrowImage(path, kLarge)));
  Must(Store::CreateImage(path, kSmall, SmallFormat()));
  const auto file_size = [&] { return Bytes{std::filesystem::file_size(path)}; };
  CHECK(absl::IsInvalidArgument(Store::GrowImage(path, kSmall - layout::kUnit)));
  CHECK(absl::IsInvalidArgument(Store::GrowImage(path, kLarge + Bytes{1})));
  CHECK(absl::IsInvalidArgument(Store::GrowImage(path, Bytes{uint64_t{1} << 62})));
  CHECK(file_size() == kSmall);
  Must(Store::GrowImage(path, kSmall));
  {
    const std::unique_ptr<Store> store = Must(Store::OpenImage(path, {}));
    CHECK(absl::IsFailedPrecondition(Store::GrowImage(path, kLarge)));
    Must(store->CreateTree("t").status());
    Must(store->Close());
  }
  CHECK(file_size() == kSmall);
  Must(Store::GrowImage(path, kLarge));
  CHECK(file_size() == kLarge);
  struct stat attributes {};
  REQUIRE(stat(path.c_str(), &attributes) == 0);
  CHECK(Bytes{static_cast<uint64_t>(attributes.st_blocks) * 512} < kSmall);
  const std::unique_ptr<Store> store = Must(Store::OpenImage(path, {}));
  CHECK(store->Space().total > kSmall);
  CHECK(store->FindTree("t").ok());
  // What is no image stays as it is.
  const std::string other = dir.File("other");
  { std::ofstream(other) << std::string(KiB(128).value, 'x'); }
  CHECK(absl::IsInvalidArgument(Store::GrowImage(other, kLarge)));
  CHECK(std::filesystem::file_size(other) == KiB(128).value);
}

}  // namespace
}  // namespace betr::test
