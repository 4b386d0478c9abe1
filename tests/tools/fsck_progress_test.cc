// SPDX-License-Identifier: Apache-2.0
// What fsck.betr --data shows on a terminal while it reads a device that takes its time.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "device/forwarding_device.h"
#include "device/memory_device.h"
#include "fs/key.h"
#include "fsck.h"
#include "store/borrowed_device.h"
#include "support/fs/image.h"
#include "support/fs/planted.h"
#include "support/must.h"
#include "support/tools/run_fsck.h"

namespace betr::tools {
namespace {

using test::Must;

class SlowDevice final : public ForwardingDevice {
 public:
  SlowDevice(BlockDevice& inner, ManualClock& clock) : ForwardingDevice(inner), clock_(clock) {}

  absl::Status Read(Bytes offset, std::span<char> out) override {
    clock_.Advance(std::chrono::seconds(2));
    return ForwardingDevice::Read(offset, out);
  }

 private:
  ManualClock& clock_;
};

constexpr Bytes kContent = MiB(20);

// Larger than what a scrub reads at once, and nothing that could be compressed.
void Fill(MemoryDevice& device) {
  FormatOptions format;
  format.node_size = KiB(512);
  format.log_size = MiB(1);
  Must(Store::Format(device, format));
  StoreOptions options;
  options.background = false;
  options.logging = Logging::kBulk;
  const auto store = Must(Store::Open(std::make_unique<store::BorrowedDevice>(device), std::move(options)));
  const TreeId tree = Must(store->CreateTree("tree"));
  Random random(1);
  for (uint64_t i = 0; i < kContent / KiB(16); ++i) {
    Must(store->Put(tree, std::to_string(i), random.String(KiB(16).value)));
  }
  Must(store->Close());
}

void Scrub(ToolRun& run, std::vector<std::string> arguments) {
  MemoryDevice image(MiB(64));
  Fill(image);
  SlowDevice slow(image, run.clock);
  const std::atomic<bool> is_cancelled = false;
  arguments.insert(arguments.end(), {"--data", "image"});
  run.Run([&](Arguments args, ToolIo& io) { return FsckDeviceMain(args, io, is_cancelled, slow); }, arguments);
  INFO(run.out << run.err);
  CHECK(run.exit == 0);
}

// How far each line said that it was, in percent.
std::vector<int> PercentsOf(const std::string& lines) {
  const std::regex line("\rscrub: [0-9.]+ [KM]iB, [0-9.]+ [KM]?i?B/s, ([0-9]+) %, [^\r]* left\033\\[K");
  std::vector<int> percents;
  for (std::sregex_iterator at(lines.begin(), lines.end(), line); at != std::sregex_iterator(); ++at) {
    percents.push_back(std::stoi((*at)[1]));
  }
  return percents;
}

TEST_CASE("a scrub shows how far it is, how fast, and how long it will take", "[tools]") {
  ToolRun run;
  run.is_terminal = true;
  Scrub(run, {});
  INFO(run.err);
  const std::vector<int> percents = PercentsOf(run.err);
  REQUIRE(percents.size() >= kContent / MiB(4));
  CHECK(std::is_sorted(percents.begin(), percents.end()));
  CHECK(percents.front() < 50);
  CHECK(percents.back() == 100);
  CHECK(run.err.ends_with("\r\033[K"));
  CHECK(Says(run, "read and verified"));
}

TEST_CASE("a scrub shows nothing to nobody", "[tools]") {
  ToolRun run;
  SECTION("without a terminal") { Scrub(run, {}); }
  SECTION("who does not want it") {
    run.is_terminal = true;
    Scrub(run, {"-q"});
  }
  CHECK(run.err.find('\r') == std::string::npos);
}

// Cancels the check as soon as it has said something.
class CancellingDevice final : public ForwardingDevice {
 public:
  CancellingDevice(BlockDevice& inner, std::ostringstream& out, std::atomic<bool>& is_cancelled)
      : ForwardingDevice(inner), out_(out), is_cancelled_(is_cancelled) {}

  absl::Status Read(Bytes offset, std::span<char> out) override {
    is_cancelled_ = out_.tellp() > 0;
    return ForwardingDevice::Read(offset, out);
  }

 private:
  std::ostringstream& out_;
  std::atomic<bool>& is_cancelled_;
};

TEST_CASE("a check that is cancelled after it has found something says that it may be left", "[tools]") {
  test::Image image;
  Random random(1);
  for (int i = 0; i < 200; ++i) Must(image.paths().WriteFile(std::to_string(i), random.String(KiB(4).value)));
  image.Unmount();
  test::planted::Damage(image,
                        [](const test::planted::Trees& t) { Must(t.store.Erase(t.meta, fs::key::Entry("", "0"))); });
  ToolRun run;
  std::atomic<bool> is_cancelled = false;
  const auto check = [&](Arguments args, ToolIo& io) {
    CancellingDevice device(image.device(), dynamic_cast<std::ostringstream&>(io.out), is_cancelled);
    return FsckDeviceMain(args, io, is_cancelled, device);
  };
  run.Run(check, {"-n", "--cache", "1M", "image"});
  INFO(run.out << run.err);
  CHECK(Says(run, "content of a file that does not exist"));
  CHECK(Says(run, "1 errors found, 0 things repaired, cancelled"));
  CHECK(run.exit == (kFsckUncorrected | kFsckCancelled));
}

}  // namespace
}  // namespace betr::tools
