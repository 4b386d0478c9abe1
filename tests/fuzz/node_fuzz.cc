// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "base/coding.h"
#include "fuzz/fuzz.h"
#include "layout/node_check.h"
#include "layout/node_codec.h"
#include "layout/node_format.h"
#include "layout/seal.h"
#include "support/layout/entry_slot.h"
#include "support/layout/random_node.h"

namespace betr::layout {
namespace {

constexpr NodeId kId{17};
constexpr uint64_t kVersion = 99;
constexpr size_t kFormatAt = 16;
constexpr size_t kExtentUnitsAt = 44;

std::string RandomHeader(Random& random) {
  const auto fetch = [](const BlockUse& use) -> absl::StatusOr<StoredBlock> {
    return MakeStoredBlock({}, *use.slot->Peek());
  };
  const auto height = static_cast<dag::Height>(random.Uniform(4));
  NodeImage image = *EncodeNode(kId, kVersion, RandomNode(random, height), fetch);
  image.bytes.resize(UnitBytes(image.header_units).value);
  return std::move(image.bytes);
}

void DecodeHeader(const std::string& header) {
  const auto units = LoadFixed<uint32_t>(header.data() + kExtentUnitsAt);
  const Bytes extent_size = std::max(UnitBytes(std::min<uint64_t>(units, 64)), Bytes{header.size()});
  const auto node = DecodeNode(kId, kVersion, header, extent_size, MakeEntrySlot);
  if (!node.ok()) return;
  Check(CheckNode(*node).ok(), "a node that was read is sound");
  const auto again = EncodeNode(kId, kVersion, *node, FetchEntry);
  const bool is_counted = LoadFixed<uint16_t>(header.data() + kFormatAt) == kNodeVersion;
  Check(again.ok() && (!is_counted || again->bytes.starts_with(header)), "a node has one stored form");
}

}  // namespace
}  // namespace betr::layout

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr::layout;  // NOLINT(google-build-using-namespace)
  FuzzInput input(data, size);
  std::string header = FuzzedBytes(input, RandomHeader);
  Seal(&header);
  DecodeHeader(header);
  return 0;
}
