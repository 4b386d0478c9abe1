// SPDX-License-Identifier: Apache-2.0
// Every byte of an image's structures is damaged, one at a time and in bursts; extents are zeroed, swapped, written to
// another's place, replaced by an old version. What is read is right, or it is an error that names the place.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <iostream>

#include "base/random.h"
#include "layout/seal.h"
#include "layout/superblock.h"
#include "support/damage/scattered.h"
#include "support/damage/structures.h"
#include "support/damage/verdict.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using Kind = Structure::Kind;

// Counts verdicts, and fails the test on a wrong one.
class Campaign {
 public:
  explicit Campaign(const Subject& subject) : subject_(subject), device_(subject.size, subject.image) {
    structures_ = StructuresOf(device_);
    const Verdict sound = ReadDamaged(subject_, subject_.image, subject_.states.size() - 1);
    INFO(sound.why);
    REQUIRE(sound.kind == Verdict::Kind::kRight);
  }

  ~Campaign() {
    std::cout << fmt::format("{}: {} damages: {} harmless, {} errors, {} refused, {} also written to\n", subject_.name,
                             counts_[0] + counts_[1] + counts_[2], counts_[0], counts_[1], counts_[2], written_);
  }
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;

  const Subject& subject() const { return subject_; }
  const std::vector<Structure>& structures() const { return structures_; }

  std::string ImageBytes(const PageMap& pages, Bytes offset, Bytes size) const {
    MemoryDevice device(subject_.size, pages);
    std::string bytes(size.value, '\0');
    REQUIRE(device.Read(offset, bytes).ok());
    return bytes;
  }
  std::string Sound(Bytes offset, Bytes size) const { return ImageBytes(subject_.image, offset, size); }

  // Puts the bytes there and looks.
  void Try(const std::string& what, Bytes offset, std::string_view bytes) { Try(what, {{offset, bytes}}); }

  void Try(const std::string& what, const std::vector<std::pair<Bytes, std::string_view>>& patches) {
    MemoryDevice damaged(subject_.size, subject_.image);
    for (const auto& [offset, bytes] : patches) REQUIRE(damaged.Patch(offset, bytes).ok());
    const size_t oldest = TouchesLog(patches) ? 0 : subject_.states.size() - 1;
    Judge(what, ReadDamaged(subject_, damaged.Pages(), oldest));
    if (++tried_ % 8 == 0) {
      ++written_;
      Judge(what + ", written to", WriteDamaged(subject_, damaged.Pages(), oldest));
    }
  }

 private:
  static bool TouchesLog(const std::vector<std::pair<Bytes, std::string_view>>& patches) {
    return std::any_of(patches.begin(), patches.end(), [](const auto& patch) {
      return patch.first >= layout::kLogOffset && patch.first < layout::kLogOffset + KiB(64);
    });
  }

  void Judge(const std::string& what, const Verdict& verdict) {
    if (verdict.kind == Verdict::Kind::kWrong) {
      FAIL_CHECK(subject_.name << ": " << what << ": " << verdict.why);
      REQUIRE(++wrong_ < 10);
    } else {
      ++counts_.at(static_cast<size_t>(verdict.kind));
    }
  }

  const Subject& subject_;
  MemoryDevice device_;
  std::vector<Structure> structures_;
  std::array<uint64_t, 3> counts_{};
  uint64_t tried_ = 0;
  uint64_t written_ = 0;
  int wrong_ = 0;
};

// One in so many bytes is flipped where a structure's bytes are all alike; fixed parts are flipped byte by byte.
size_t Stride(const Structure& structure, size_t at, double scale) {
  constexpr size_t kFixedPart = 64;
  if (scale >= 8) return 1;
  if (structure.kind == Kind::kSuperblock || structure.kind == Kind::kSuperblockCopy) return at < 512 ? 1 : 64;
  const size_t rest = structure.kind == Kind::kBlocks ? 16 : 8;
  return at < kFixedPart ? 1 : std::max<size_t>(1, static_cast<size_t>(static_cast<double>(rest) / scale));
}

void FlipBytes(Campaign& campaign, double scale) {
  Random random(TestSeed());
  for (const Structure& structure : campaign.structures()) {
    const std::string bytes = campaign.Sound(structure.offset, structure.size);
    for (size_t at = 0; at < bytes.size(); at += Stride(structure, at, scale)) {
      const char flipped = static_cast<char>(bytes[at] ^ (1 << random.Uniform(8)));
      campaign.Try(fmt::format("{}: byte {}", structure.name, at), structure.offset + Bytes{at}, {&flipped, 1});
    }
  }
}

void Bursts(Campaign& campaign, double scale) {
  Random random(TestSeed() + 1);
  const auto rounds = static_cast<int>(4 * scale);
  for (const Structure& structure : campaign.structures()) {
    for (int i = 0; i < std::max(rounds, 1); ++i) {
      const size_t at = random.Uniform(structure.size.value);
      const size_t most = std::min<size_t>(structure.extent.value - at, random.OneIn(3) ? 4096 : 64);
      const std::string burst = random.String(1 + random.Uniform(most));
      campaign.Try(fmt::format("{}: {} bytes from {}", structure.name, burst.size(), at), structure.offset + Bytes{at},
                   burst);
    }
  }
}

void ZeroedExtents(Campaign& campaign) {
  for (const Structure& structure : campaign.structures()) {
    campaign.Try(structure.name + ": zeroed", structure.offset, std::string(structure.extent.value, '\0'));
    campaign.Try(structure.name + ": first sector zeroed", structure.offset, std::string(512, '\0'));
  }
}

// The first unit of another structure in this one's place, and both exchanged.
void MisplacedExtents(Campaign& campaign, double scale) {
  Random random(TestSeed() + 2);
  const auto& all = campaign.structures();
  for (const Structure& structure : all) {
    for (int i = 0; i < std::max(1, static_cast<int>(3 * scale)); ++i) {
      const Structure& other = random.Pick(all);
      const Bytes size = std::min(structure.extent, other.extent);
      const std::string here = campaign.Sound(structure.offset, size);
      const std::string there = campaign.Sound(other.offset, size);
      campaign.Try(fmt::format("{}: {} in its place", structure.name, other.name), structure.offset, there);
      campaign.Try(fmt::format("{} and {}: exchanged", structure.name, other.name),
                   {{structure.offset, there}, {other.offset, here}});
    }
  }
}

// What the structure's place held before; an old version of the same node in the place of the present one.
void StaleExtents(Campaign& campaign) {
  for (const PageMap& before : campaign.subject().history) {
    MemoryDevice old(campaign.subject().size, before);
    const std::vector<Structure> older = StructuresOf(old);
    for (const Structure& structure : campaign.structures()) {
      const std::string stale = campaign.ImageBytes(before, structure.offset, structure.extent);
      if (stale != campaign.Sound(structure.offset, structure.extent)) {
        campaign.Try(structure.name + ": what was there before", structure.offset, stale);
      }
      for (const Structure& version : older) {
        const bool is_same = version.kind == structure.kind && version.id == structure.id;
        if (!is_same || structure.kind == Kind::kSuperblock || structure.kind == Kind::kLog) continue;
        const Bytes size = std::min(structure.extent, version.extent);
        const std::string bytes = campaign.ImageBytes(before, version.offset, size);
        if (bytes != campaign.Sound(structure.offset, size)) {
          campaign.Try(structure.name + ": an old version of it", structure.offset, bytes);
        }
      }
    }
  }
}

// Damage under a good checksum: what is read may be wrong then, but it is read, or it is an error.
void ForgedHeaders(const Campaign& campaign, double scale) {
  Random random(TestSeed() + 3);
  for (const Structure& structure : campaign.structures()) {
    if (structure.kind != Kind::kNodeHeader) continue;
    const auto rounds = static_cast<int>(24 * scale);
    for (int i = 0; i < rounds; ++i) {
      std::string header = campaign.Sound(structure.offset, structure.extent);
      const size_t at = layout::kSealSize + random.Uniform(structure.size.value - layout::kSealSize);
      header[at] = static_cast<char>(header[at] ^ (1 << random.Uniform(8)));
      layout::Seal(&header);
      MemoryDevice device(campaign.subject().size, campaign.subject().image);
      REQUIRE(device.Patch(structure.offset, header).ok());
      static_cast<void>(ReadDamaged(campaign.subject(), device.Pages(), 0));
      static_cast<void>(WriteDamaged(campaign.subject(), device.Pages(), 0));
    }
  }
}

// No damage makes the library take memory without bounds.
void CheckMemory() {
  rusage usage{};
  REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
  CHECK(usage.ru_maxrss < 1'500'000);
}

void RunCampaign(const Subject& subject, double scale) {
  Campaign campaign(subject);
  FlipBytes(campaign, scale);
  Bursts(campaign, scale);
  ZeroedExtents(campaign);
  MisplacedExtents(campaign, scale);
  StaleExtents(campaign);
  ForgedHeaders(campaign, scale);
  CheckMemory();
}

TEST_CASE("a damaged store that was closed gives right data or errors", "[damage]") {
  RunCampaign(ClosedStore(), 3 * TestScale());
}

TEST_CASE("a damaged store with batches in its log gives right data or errors", "[damage]") {
  RunCampaign(CrashedStore(), 3 * TestScale());
}

TEST_CASE("a damaged store that was filled without a log gives right data or errors", "[damage]") {
  RunCampaign(BulkStore(), 3 * TestScale());
}

TEST_CASE("a damaged file system gives right data or errors", "[damage]") {
  RunCampaign(FileSystemImage(), 3 * TestScale());
}

TEST_CASE("a damaged store whose extents are scattered gives right data or errors", "[damage]") {
  const Subject subject = ScatteredStore();
  MemoryDevice device(subject.size, subject.image);
  const std::vector<Structure> structures = StructuresOf(device);
  const auto maps = std::count_if(structures.begin(), structures.end(),
                                  [](const Structure& structure) { return structure.kind == Kind::kExtentMap; });
  CHECK(maps > 4);
  RunCampaign(subject, 3 * TestScale());
}

TEST_CASE("after a clean end each superblock alone has everything", "[damage]") {
  const Subject subject = FileSystemImage();
  MemoryDevice device(subject.size, subject.image);
  std::string first(layout::kUnit.value, '\0');
  std::string second(layout::kUnit.value, '\0');
  REQUIRE(device.Read(layout::kSlotOffset[0], first).ok());
  REQUIRE(device.Read(layout::kSlotOffset[1], second).ok());
  const auto one = layout::DecodeSuperblock(first);
  auto other = layout::DecodeSuperblock(second);
  REQUIRE(one.ok());
  REQUIRE(other.ok());
  // The newer one says besides that the log has ended.
  CHECK((one->generation > other->generation ? one : other)->log_opening > 0);
  other->generation = one->generation;
  other->log_opening = one->log_opening;
  CHECK((*one == *other));
}

TEST_CASE("every byte of every structure, damaged", "[damage][.long]") {
  for (const Subject& subject : {ClosedStore(), CrashedStore(), BulkStore(), FileSystemImage(), ScatteredStore()}) {
    RunCampaign(subject, 8 * TestScale());
  }
}

}  // namespace
}  // namespace betr::test
