// SPDX-License-Identifier: Apache-2.0
// Node headers that no encoder writes, made by hand under good checksums: each breaks one rule of the stored form.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "base/coding.h"
#include "layout/codec_bytes.h"
#include "layout/node_check.h"
#include "layout/node_codec.h"
#include "layout/node_format.h"
#include "layout/seal.h"
#include "support/layout/entry_slot.h"

namespace betr::layout {
namespace {

constexpr NodeId kId{17};
constexpr uint64_t kVersion = 99;

// A body, item by item.
class Body {
 public:
  Body() { Add(Bound::At("")).Add(Bound::Past("")); }
  Body& Add(const Bound& bound) {
    PutBound(&bytes_, bound);
    return *this;
  }
  Body& Number(uint64_t value) {
    PutVarint64(&bytes_, value);
    return *this;
  }
  Body& Flags(uint8_t flags) {
    PutFixed8(&bytes_, flags);
    return *this;
  }
  // An entry of the table of blocks.
  Body& Entry(uint64_t stored, uint64_t raw, Compression compression, uint64_t count) {
    Number(stored).Number(raw).Flags(static_cast<uint8_t>(compression));
    PutFixed64(&bytes_, 0);
    return Number(count);
  }
  Body& Sound() { return Entry(100, 100, Compression::kNone, 20); }
  // A basement, or a run, that shows all that is left.
  Body& View(uint64_t block) { return Flags(0).Number(block); }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

struct Form {
  uint64_t block_units = 1;
  uint16_t format = kUncountedNodeVersion;
  uint64_t more_header_units = 0;
  uint64_t more_body_size = 0;  // that the node says its body has
};

// What becomes of a node with that body.
absl::Status DecodeForm(dag::Height height, const Body& body, const Form& form) {
  const uint64_t header_units = UnitsFor({kFixedSize + body.bytes().size()}) + form.more_header_units;
  const uint64_t units = header_units + form.block_units;
  std::string header(kNodeMagic);
  PutFixed64(&header, 0);
  PutFixed16(&header, form.format);
  PutFixed8(&header, height);
  PutCodec(&header, {});
  header.append(3, '\0');
  PutFixed64(&header, kId.value);
  PutFixed64(&header, kVersion);
  PutFixed32(&header, static_cast<uint32_t>(header_units));
  PutFixed32(&header, static_cast<uint32_t>(units));
  PutFixed32(&header, static_cast<uint32_t>(body.bytes().size() + form.more_body_size));
  header.resize(kFixedSize, '\0');
  header += body.bytes();
  header.resize(UnitBytes(header_units).value, '\0');
  Seal(&header);
  Bytes next = UnitBytes(header_units);
  const auto make_slot = [&](const BlockEntry& entry) {
    CHECK(entry.offset == next);  // one of the table, in its order
    next = entry.offset + entry.stored_size;
    CHECK(next <= UnitBytes(units));
    return MakeEntrySlot(entry);
  };
  return DecodeNode(kId, kVersion, header, UnitBytes(units), make_slot).status();
}

absl::StatusCode Decode(dag::Height height, const Body& body, uint64_t block_units = 1,
                        uint16_t format = kUncountedNodeVersion) {
  return DecodeForm(height, body, {block_units, format}).code();
}

constexpr auto kOk = absl::StatusCode::kOk;
constexpr auto kDamage = absl::StatusCode::kDataLoss;

TEST_CASE("forged: views and blocks belong together", "[layout]") {
  CHECK(Decode(0, Body().Number(1).Sound().Number(1).View(0)) == kOk);
  CHECK(Decode(0, Body().Number(2).Sound().Sound().Number(1).View(0)) == kDamage);  // a block without a view
  const auto two = [](uint64_t second) {
    return Body().Number(1).Sound().Number(2).Flags(kViewHi).Number(0).Add(Bound::At("m")).View(second);
  };
  CHECK(Decode(0, two(0)) == kOk);
  CHECK(Decode(0, two(1)) == kDamage);  // there is only one
  CHECK(Decode(0, two(2)) == kDamage);
}

TEST_CASE("forged: a block is compressed if that makes it smaller, and has so many entries as fit", "[layout]") {
  const auto one = [](uint64_t stored, uint64_t raw, Compression compression, uint64_t count) {
    return Decode(0, Body().Number(1).Entry(stored, raw, compression, count).Number(1).View(0));
  };
  CHECK(one(100, 200, Compression::kLz4, 20) == kOk);
  CHECK(one(100, 200, Compression::kNone, 20) == kDamage);
  CHECK(one(100, 100, Compression::kLz4, 20) == kDamage);
  CHECK(one(100, 99, Compression::kLz4, 20) == kDamage);
  CHECK(one(0, 0, Compression::kNone, 0) == kDamage);
  CHECK(one(100, 100, Compression::kNone, 25) == kOk);
  CHECK(one(100, 100, Compression::kNone, 26) == kDamage);
}

TEST_CASE("forged: no more entries are erases than there are, and in leaves nobody counts them", "[layout]") {
  const auto counted = [](uint64_t erases_and_one) {
    const Body body = Body().Number(1).Sound().Number(erases_and_one).Number(1).Flags(kEdgeTarget | kEdgeRuns);
    return Decode(1, Body(body).Number(5).Number(1).View(0), 1, kNodeVersion);
  };
  CHECK(counted(0) == kOk);
  CHECK(counted(21) == kOk);
  CHECK(counted(22) == kDamage);
  const Body leaf = Body().Number(1).Sound().Number(1).View(0);
  CHECK(Decode(0, leaf, 1, kNodeVersion) == kOk);
  CHECK(Decode(0, leaf, 1, kNodeVersion + 1) == kDamage);
  CHECK(Decode(0, leaf, 1, 0) == kDamage);
}

TEST_CASE("forged: the blocks end where the extent does", "[layout]") {
  const Body sound = Body().Number(1).Sound().Number(1).View(0);
  CHECK(Decode(0, sound, 1) == kOk);
  CHECK(Decode(0, sound, 0) == kDamage);
  CHECK(Decode(0, sound, 2) == kDamage);
}

TEST_CASE("forged: few bytes do not stand for bounds without end", "[layout]") {
  // Runs of the second edge begin with it, and so each has its long bound in memory.
  const auto with_runs = [](uint64_t runs) {
    Body body;
    body.Number(1).Sound().Number(2).Add(Bound::At(std::string(kMaxBoundSize.value, 'b'))).Flags(0);
    body.Flags(kEdgeRuns).Number(runs);
    for (uint64_t run = 0; run < runs; ++run) body.View(0);
    return Decode(1, body);
  };
  CHECK(with_runs(10) == kOk);
  CHECK(with_runs(MaxImpliedSize(0) / kMaxBoundSize.value + 20) == kDamage);
}

TEST_CASE("forged: a header has as many units as its body needs, before anything else is believed", "[layout]") {
  const Body body = Body().Number(1).Sound().Number(1).View(0);
  REQUIRE(DecodeForm(0, body, {}).ok());
  const uint64_t whole = UnitBytes(1).value;
  for (const Form& form : {Form{.more_header_units = 1}, Form{.more_body_size = whole},
                           Form{.more_body_size = UINT32_MAX - body.bytes().size()}}) {
    const absl::Status status = DecodeForm(0, body, form);
    CHECK(status.code() == kDamage);
    CHECK_THAT(std::string(status.message()), Catch::Contains("header units"));
  }
}

}  // namespace
}  // namespace betr::layout
