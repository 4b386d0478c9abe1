// SPDX-License-Identifier: Apache-2.0
// A repair on a device that fails, or that is stopped, at any read: what only could not be read is never cut out.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <set>

#include "device/fault_device.h"
#include "fsck.h"
#include "store/offline/repair_image.h"
#include "support/damage/bench.h"
#include "support/damage/run_fsck_on.h"
#include "support/device/hook_device.h"
#include "support/must.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

using Kind = Structure::Kind;

constexpr Bytes kCache = MiB(4);

struct Damage {
  std::string name;
  std::function<void(Bench&)> change;
};

void ZeroAll(Bench& bench, Kind kind) {
  for (const Structure& structure : StructuresOf(bench.device())) {
    if (structure.kind == kind) bench.Zero(structure);
  }
}

void ZeroHeader(Bench& bench, int height) { bench.Zero(bench.HeaderOf(bench.NodeOf("main", height))); }

std::vector<Damage> Damages() {
  return {
      {"the node table", [](Bench& bench) { ZeroAll(bench, Kind::kTablePage); }},
      {"the node table and an interior node",
       [](Bench& bench) {
         ZeroHeader(bench, 1);
         ZeroAll(bench, Kind::kTablePage);
       }},
      {"a leaf", [](Bench& bench) { ZeroHeader(bench, 0); }},
      {"blocks of a leaf", [](Bench& bench) { bench.Zero(bench.BlocksOf(bench.NodeOf("main", 0))); }},
      {"the catalog", [](Bench& bench) { ZeroAll(bench, Kind::kCatalog); }},
  };
}

// A node table that is lost, and two places where a node of one version lies: in the first its blocks are damaged, so
// that the second must be taken.
void TwoPlaces(Bench& bench) {
  const NodeId leaf = bench.NodeOf("main", 0);
  const Structure& header = bench.HeaderOf(leaf);
  const Structure& blocks = bench.BlocksOf(leaf);
  const std::string whole = bench.Read(header) + bench.Read(blocks);
  {
    const auto image = Must(store::Inspection::Open(bench.device(), kCache));
    const auto free = image->space().FreeRanges();
    const uint64_t units = whole.size() / layout::kUnit.value;
    const auto place =
        std::find_if(free.rbegin(), free.rend(), [&](const auto& range) { return range.units >= units; });
    REQUIRE(place != free.rend());
    bench.PutAt(layout::UnitBytes(place->end() - units), whole);
  }
  bench.Zero(blocks);
  ZeroAll(bench, Kind::kTablePage);
}

Contents ReadAll(MemoryDevice& device) {
  const std::unique_ptr<Store> store = Must(OpenSubject(device, true));
  Contents contents;
  for (const TreeInfo& tree : store->Trees()) {
    auto& entries = contents[tree.name];
    const std::unique_ptr<Cursor> cursor = Must(store->NewCursor(tree.id));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) entries.emplace(cursor->Key(), cursor->Value());
    Must(cursor->status());
  }
  return contents;
}

std::string AllBytes(BlockDevice& device) {
  std::string bytes(device.Size().value, '\0');
  Must(device.Read(Bytes{0}, bytes));
  return bytes;
}

absl::Status Repair(BlockDevice& device, const std::vector<store::Finding>& findings) {
  return store::RepairImage(device, kCache, store::RepairDepth::kAll, findings, [](auto) {}).status();
}

// Repairs a damaged image on devices that fail in some way at the n-th read, for each n.
class Sweep {
 public:
  explicit Sweep(MemoryDevice& damaged) : pages_(damaged.Pages()), size_(damaged.Size()), before_(AllBytes(damaged)) {
    findings_ = Must(CheckImage(damaged, kCache));
    REQUIRE_FALSE(findings_.empty());
    MemoryDevice sound(size_, pages_);
    Must(Repair(sound, findings_));
    expected_ = ReadAll(sound);
  }

  // `repair` repairs a copy, and returns whether the n-th read was reached.
  void Run(const std::function<bool(MemoryDevice&, uint64_t nth, absl::Status*)>& repair) {
    for (uint64_t nth = 1;; ++nth) {
      MemoryDevice copy(size_, pages_);
      absl::Status status;
      const bool is_reached = repair(copy, nth, &status);
      INFO("read " << nth << ": " << status);
      Judge(copy, status);
      if (!is_reached) break;
      failures_ += status.ok() ? 0 : 1;
    }
  }

  void WithFault(Fault::Repeat repeat) {
    Run([&](MemoryDevice& copy, uint64_t nth, absl::Status* status) {
      FaultDevice failing(copy);
      failing.Arm({Fault::On::kRead, nth, repeat, Fault::Effect::kIoError});
      *status = Repair(failing, findings_);
      CHECK((status->ok() || absl::IsUnavailable(*status)));
      return failing.Hits() > 0;
    });
  }

  void WithCancel() {
    Run([&](MemoryDevice& copy, uint64_t nth, absl::Status* status) {
      uint64_t reads = 0;
      HookDevice stopped(copy, [&] { return ++reads < nth ? absl::OkStatus() : absl::CancelledError("cancelled"); });
      *status = Repair(stopped, findings_);
      CHECK((status->ok() || absl::IsCancelled(*status)));
      return reads >= nth;
    });
  }

  uint64_t failures() const { return failures_; }

 private:
  // Unchanged, or repaired as on a sound device; or, if only the writing was ended, still what can be repaired to that.
  void Judge(MemoryDevice& copy, const absl::Status& status) {
    if (AllBytes(copy) == before_) {
      CHECK_FALSE(status.ok());
      return;
    }
    const std::vector<store::Finding> left = Must(CheckImage(copy, kCache));
    if (!left.empty()) {
      CHECK_FALSE(status.ok());
      Must(Repair(copy, left));
    }
    CHECK(ReadAll(copy) == expected_);
  }

  const PageMap pages_;
  const Bytes size_;
  const std::string before_;
  std::vector<store::Finding> findings_;
  Contents expected_;
  uint64_t failures_ = 0;
};

void SweepAll(MemoryDevice& damaged) {
  Sweep sweep(damaged);
  sweep.WithFault(Fault::Repeat::kOnce);
  sweep.WithFault(Fault::Repeat::kFromThenOn);
  sweep.WithCancel();
  CHECK(sweep.failures() > 10);
}

TEST_CASE("whichever read fails, a repair cuts out nothing that could not be read", "[damage][repair]") {
  const Subject subject = ClosedStore();
  for (const Damage& damage : Damages()) {
    INFO(damage.name);
    Bench bench(subject);
    damage.change(bench);
    SweepAll(bench.device());
  }
}

TEST_CASE("of two places of a node, the one that could not be read is not passed over", "[damage][repair]") {
  const Subject subject = ClosedStore();
  Bench bench(subject);
  TwoPlaces(bench);
  SweepAll(bench.device());
}

TEST_CASE("what a damaged log holds is not given up because it could not be read", "[damage][repair]") {
  const Subject subject = CrashedStore();
  Bench bench(subject);
  bench.Flip(bench.Find("log frame"), 100);
  SweepAll(bench.device());
}

TEST_CASE("fsck -y that a signal stops at any read leaves what it can go on with", "[damage][repair]") {
  const Subject subject = ClosedStore();
  Bench bench(subject);
  Damages()[1].change(bench);
  MemoryDevice sound(subject.size, bench.device().Pages());
  REQUIRE(RunFsckOn(sound, {"-y"}).exit == tools::kFsckCorrected);
  const Contents expected = ReadAll(sound);
  for (uint64_t nth = 1;; ++nth) {
    MemoryDevice copy(subject.size, bench.device().Pages());
    std::atomic<bool> is_cancelled = false;
    uint64_t reads = 0;
    HookDevice signalled(copy, [&] {
      is_cancelled = is_cancelled || ++reads == nth;
      return absl::OkStatus();
    });
    const FsckRun stopped = RunFsckOn(signalled, {"-y"}, is_cancelled);
    INFO("read " << nth << "\n" << stopped.out << stopped.err);
    if (!is_cancelled) break;
    CHECK((stopped.exit & tools::kFsckCancelled) != 0);
    const FsckRun again = RunFsckOn(copy, {"-y"});
    INFO(again.out << again.err);
    CHECK((again.exit == tools::kFsckClean || again.exit == tools::kFsckCorrected));
    CHECK(ReadAll(copy) == expected);
  }
}

}  // namespace
}  // namespace betr::test
