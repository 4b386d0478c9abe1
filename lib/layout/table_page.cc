// SPDX-License-Identifier: Apache-2.0
#include "layout/table_page.h"

#include <fmt/format.h>

#include <limits>

#include "base/check.h"
#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"
#include "layout/node_codec.h"
#include "layout/seal.h"

namespace betr::layout {
namespace {

constexpr std::string_view kPageMagic = "betrPAGE";
constexpr uint16_t kPageVersion = 1;
constexpr size_t kFanout = dag::TablePage::kFanout;
static_assert(kFixedSize + 32 * kFanout <= kUnit.value);

// The number of ids below an entry of a page of this level, as a power of two.
int EntryShift(uint8_t level) { return dag::TablePage::kFanoutBits * level; }

// Whether ids at that index of a page of this level fit into 64 bits.
bool Reachable(uint8_t level, uint8_t index) { return level < dag::TablePage::kMaxLevel || index < 16; }

void PutNodeEntry(std::string* out, const NodeEntry& entry) {
  PutFixed8(out, entry.index);
  PutFixed8(out, entry.height);
  PutFixed16(out, entry.entries.Code());
  PutFixed32(out, entry.references);
  PutFixed64(out, entry.extent.start);
  PutFixed32(out, MarkedUnits(entry.extent));
  PutFixed32(out, entry.header_units);
  PutFixed64(out, entry.version);
}

void PutPageEntry(std::string* out, const PageEntry& entry) {
  PutFixed64(out, entry.index);  // one byte and seven zeros
  PutFixed64(out, entry.page.extent.start);
  PutFixed64(out, entry.page.checksum);
  PutFixed64(out, 0);
}

class PageReader {
 public:
  explicit PageReader(std::string_view bytes) : in_(bytes) { in_.Raw(kSealSize); }

  void ReadFixed(const ExpectedPage& expected) {
    const uint16_t version = in_.Fixed16();
    if (version != kPageVersion) in_.Fail(fmt::format("format version is {}, must be {}", version, kPageVersion));
    page_.level = in_.Fixed8();
    entries_ = in_.Fixed8();
    in_.Zeros(4);
    page_.first_id = in_.Fixed64();
    page_.generation.value = in_.Fixed64();
    in_.Zeros(kFixedSize - in_.position());
    if (page_.level != expected.level || page_.first_id != expected.first_id) {
      in_.Fail(fmt::format("it is the page of level {} for ids from {}, must be level {}, ids from {}", page_.level,
                           page_.first_id, expected.level, expected.first_id));
    }
    if (entries_ == 0 || entries_ > kFanout) in_.Fail(fmt::format("{} entries, must be 1 to {}", entries_, kFanout));
  }

  void ReadEntries() {
    int previous = -1;
    for (uint8_t i = 0; i < entries_ && in_.ok(); ++i) {
      const uint8_t index = page_.level == 0 ? ReadNodeEntry() : ReadPageEntry();
      if (index <= previous || index >= kFanout || !Reachable(page_.level, index)) {
        in_.Fail(fmt::format("entry with index {} after {}", index, previous));
      }
      previous = index;
    }
    in_.Zeros(in_.remaining());
  }

  absl::StatusOr<PageImage> Finish() && {
    BETR_RETURN_IF_ERROR(in_.Finish("page"));
    return std::move(page_);
  }

 private:
  uint8_t ReadNodeEntry() {
    NodeEntry& entry = page_.nodes.emplace_back();
    entry.index = in_.Fixed8();
    entry.height = in_.Fixed8();
    entry.entries = dag::EntryCount::FromCode(in_.Fixed16());
    entry.references = in_.Fixed32();
    const uint64_t start = in_.Fixed64();
    entry.extent = FromMarked(start, in_.Fixed32());
    entry.header_units = in_.Fixed32();
    entry.version = in_.Fixed64();
    CheckEntry(entry);
    return entry.index;
  }

  void CheckEntry(const NodeEntry& entry) {
    if (page_.first_id + entry.index == kNoNode.value) in_.Fail("there is no node 0");
    if (entry.references == std::numeric_limits<uint32_t>::max()) in_.Fail("more references than can be counted");
    if (entry.height > dag::kMaxHeight) in_.Fail(fmt::format("height {}, at most {}", entry.height, dag::kMaxHeight));
    if (entry.extent.Nowhere() || entry.extent.units > kMaxExtentUnits || entry.extent.start > kMaxDeviceUnits) {
      in_.Fail(fmt::format("{}: no possible place", ToString(entry.extent)));
    }
    if (entry.header_units == 0 || entry.header_units > entry.extent.units || entry.header_units > kMaxHeaderUnits) {
      in_.Fail(fmt::format("a header of {} units in an extent of {}", entry.header_units, entry.extent.units));
    }
  }

  uint8_t ReadPageEntry() {
    PageEntry& entry = page_.pages.emplace_back();
    entry.index = in_.Fixed8();
    in_.Zeros(7);
    entry.page.extent = {in_.Fixed64(), 1};
    entry.page.checksum = in_.Fixed64();
    in_.Zeros(8);
    return entry.index;
  }

  Decoder in_;
  unsigned entries_ = 0;
  PageImage page_;
};

}  // namespace

std::string EncodePage(const PageImage& page) {
  const size_t entries = page.level == 0 ? page.nodes.size() : page.pages.size();
  Check(entries > 0 && entries <= kFanout, "a stored page has 1 to 64 entries");
  std::string bytes(kPageMagic);
  bytes.reserve(kUnit.value);
  PutFixed64(&bytes, 0);
  PutFixed16(&bytes, kPageVersion);
  PutFixed8(&bytes, page.level);
  PutFixed8(&bytes, static_cast<uint8_t>(entries));
  PutFixed32(&bytes, 0);
  PutFixed64(&bytes, page.first_id);
  PutFixed64(&bytes, page.generation.value);
  bytes.resize(kFixedSize, '\0');
  for (const NodeEntry& entry : page.nodes) PutNodeEntry(&bytes, entry);
  for (const PageEntry& entry : page.pages) PutPageEntry(&bytes, entry);
  bytes.resize(kUnit.value, '\0');
  Seal(&bytes);
  return bytes;
}

absl::StatusOr<PageImage> DecodePage(const ExpectedPage& expected, std::string_view bytes) {
  Check(bytes.size() == kUnit.value, "a table page has one unit");
  const std::string place = fmt::format("node table: page at unit {}", expected.address.extent.start);
  BETR_RETURN_IF_ERROR(CheckSeal(place, kPageMagic, bytes));
  if (SealOf(bytes) != expected.address.checksum) {
    return absl::DataLossError(fmt::format("{}: checksum is {:016x}, must be {:016x}: another page, or an older one",
                                           place, SealOf(bytes), expected.address.checksum));
  }
  PageReader reader(bytes);
  reader.ReadFixed(expected);
  reader.ReadEntries();
  absl::StatusOr<PageImage> page = std::move(reader).Finish();
  return page.ok() ? std::move(page) : Annotate(page.status(), place);
}

uint64_t FirstIdOfChild(const PageImage& page, uint8_t index) {
  return page.first_id + (uint64_t{index} << EntryShift(page.level));
}

}  // namespace betr::layout
