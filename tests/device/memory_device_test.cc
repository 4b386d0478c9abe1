// SPDX-License-Identifier: Apache-2.0
// The in-memory device against a string; copies that share pages; damage; threads.
#include "device/memory_device.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "support/device/device_model.h"
#include "support/seed.h"

namespace betr {
namespace {

TEST_CASE("a memory device holds what a string holds", "[device]") {
  Random random(TestSeed());
  MemoryDevice device(KiB(512));
  std::string model(KiB(512).value, '\0');
  CompareWithModel(device, &model, random, 2000);
}

TEST_CASE("a huge memory device costs what is in it", "[device]") {
  MemoryDevice device(TiB(100));
  const std::string block(kBlockSize.value, 'b');
  const Bytes last = device.Size() - kBlockSize;
  REQUIRE(device.Write(last, block).ok());
  std::string out(2 * kBlockSize.value, 'x');
  REQUIRE(device.Read(last - kBlockSize, out).ok());
  CHECK(out == std::string(kBlockSize.value, '\0') + block);
  CHECK(device.Pages().PageCount() == 1);
  REQUIRE(device.Write(last, std::string(kBlockSize.value, '\0')).ok());
  CHECK(device.Pages().PageCount() == 0);
}

TEST_CASE("copies of pages go their own ways", "[device]") {
  Random random(TestSeed() + 1);
  std::vector<std::pair<std::unique_ptr<MemoryDevice>, std::string>> devices;
  devices.emplace_back(std::make_unique<MemoryDevice>(MiB(1)), std::string(MiB(1).value, '\0'));
  for (int round = 0; round < 40; ++round) {
    auto& [source, model] = random.Pick(devices);
    CompareWithModel(*source, &model, random, 20);
    auto copy = std::make_unique<MemoryDevice>(MiB(1), source->Pages());
    std::string copied_model = model;
    devices.emplace_back(std::move(copy), std::move(copied_model));
  }
  for (auto& [device, model] : devices) CHECK((ReadAll(*device) == model));
}

TEST_CASE("a page map may be assigned over", "[device]") {
  PageMap a, b;
  a.Set(1, PageMap::MakePage(std::string(kBlockSize.value, 'a')));
  b.Set(1, PageMap::MakePage(std::string(kBlockSize.value, 'b')));
  const PageMap::PagePointer page = a.Get(1);
  b = a;
  const PageMap& same = a;
  a = same;
  a.Set(1, nullptr);
  a.Set(1000, nullptr);
  CHECK(a.PageCount() == 0);
  CHECK(b.Get(1) == page);
}

TEST_CASE("discarded blocks are zero, patched bytes are as patched", "[device]") {
  Random random(TestSeed() + 2);
  MemoryDevice device(KiB(64));
  std::string model = random.String(KiB(64).value);
  REQUIRE(device.Write(Bytes{0}, model).ok());
  REQUIRE(device.Discard(KiB(8), KiB(12)).ok());
  model.replace(KiB(8).value, KiB(12).value, std::string(KiB(12).value, '\0'));
  for (int i = 0; i < 100; ++i) {
    const size_t offset = random.Uniform(model.size());
    const std::string bytes = random.String(random.Uniform(std::min<size_t>(10000, model.size() - offset) + 1));
    REQUIRE(device.Patch(Bytes{offset}, bytes).ok());
    model.replace(offset, bytes.size(), bytes);
  }
  CHECK((ReadAll(device) == model));
}

TEST_CASE("nothing reaches beyond the end", "[device]") {
  MemoryDevice device(KiB(8), {}, "disk");
  const std::string block(kBlockSize.value, 'x');
  std::string out(2, '\0');
  CHECK(device.Read(KiB(8), std::span<char>()).ok());
  for (const Bytes offset : {Bytes{8191}, KiB(8), Bytes{UINT64_MAX}, Bytes{UINT64_MAX - 1}}) {
    CHECK(absl::IsOutOfRange(device.Read(offset, out)));
    CHECK(absl::IsOutOfRange(device.Patch(offset, "ab")));
  }
  CHECK(device.Write(KiB(8), block).message() == "disk: write of 4096 bytes at 8192: beyond the end at 8192");
  CHECK(absl::IsOutOfRange(device.Discard(KiB(4), KiB(8))));
  CHECK(absl::IsOutOfRange(device.Readahead(KiB(4), KiB(8))));
  CHECK(device.Readahead(KiB(4), KiB(4)).ok());
}

TEST_CASE("threads write and read ranges of their own", "[device]") {
  MemoryDevice device(MiB(1));
  std::vector<std::thread> threads;
  for (uint64_t part = 0; part < 4; ++part) {
    threads.emplace_back([&device, part] {
      for (int round = 0; round < 50; ++round) {
        const std::string data(KiB(64).value, "abcdefgh"[part + (round % 2 == 0 ? 0 : 4)]);
        std::string out(data.size(), '\0');
        const bool written = device.Write(KiB(64) * part, data).ok() && device.Read(KiB(64) * part, out).ok();
        if (!written || out != data) std::abort();
        MemoryDevice copy(MiB(1), device.Pages());
        if (!copy.Write(KiB(64) * part, data).ok()) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uint64_t part = 0; part < 4; ++part) {
    CHECK(ReadAll(device)[KiB(64).value * part] == static_cast<char>('e' + part));
  }
}

}  // namespace
}  // namespace betr
