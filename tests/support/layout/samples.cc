// SPDX-License-Identifier: Apache-2.0
#include "support/layout/samples.h"

#include <algorithm>
#include <string>

namespace betr::layout {
namespace {

std::string RandomText(Random& random, size_t min_size, size_t max_size) {
  std::string text = random.String(random.Between(min_size, max_size));
  std::replace(text.begin(), text.end(), '\0', 'x');
  return text;
}

ExtentAddress RandomPlace(Random& random, const UnitRange& area, uint32_t units) {
  return {area.start + random.Uniform(area.units - units + 1), units};
}

void FillState(Random& random, Superblock& block) {
  block.checkpoint_lsn = Lsn{random.Skewed(61)};
  block.log_head = random.Skewed(61);
  block.log_chain = random.Next();
  block.log_opening = random.Skewed(61);
  block.next_node_id = NodeId{2 + random.Skewed(60)};
  block.next_tree_id = TreeId{1 + random.Skewed(60)};
  block.next_version = 1 + random.Skewed(60);
  block.session_version = random.Skewed(61);
  block.made_at = std::chrono::nanoseconds(static_cast<int64_t>(random.Next()));
  block.made_by = RandomText(random, 0, kMadeBySize);
  if (!random.OneIn(4)) {
    block.table = {{RandomPlace(random, block.ExtentArea(), 1), random.Next()},
                   static_cast<uint8_t>(random.Uniform(11)),
                   1 + random.Uniform(block.next_node_id.value - 1)};
    const auto units = static_cast<uint32_t>(1 + random.Uniform(3));
    block.catalog = {{RandomPlace(random, block.ExtentArea(), units), RandomPlace(random, block.ExtentArea(), units)},
                     random.Next()};
  }
}

}  // namespace

Superblock RandomSuperblock(Random& random) {
  Superblock block;
  block.uuid = UuidFromSeed(random.Next());
  block.label = RandomText(random, 0, kLabelSize);
  block.minor_version = static_cast<uint16_t>(random.Uniform(3));
  block.features.compatible = random.Skewed(63);
  if (random.OneIn(2)) {
    block.reserve.value = static_cast<uint32_t>(random.Between(1, 5000));
    block.first_version = random.OneIn(2) ? random.Skewed(60) : 0;
    block.features.read_only_compatible = kTuned;
  }
  block.generation = Generation{1 + random.Skewed(60)};
  block.log = {UnitsFor(kLogOffset), 16 + random.Skewed(20)};
  block.device_units = block.log.end() + 10 + random.Skewed(30);
  block.node_size = {random.Between(512, MiB(16).value)};
  block.basement_size = {random.Between(64, block.node_size.value)};
  block.fanout = static_cast<uint32_t>(random.Between(4, 256));
  block.codec = random.OneIn(2) ? Codec{Compression::kZstd, 7} : Codec{Compression::kLz4, 1};
  FillState(random, block);
  return block;
}

Catalog RandomCatalog(Random& random, size_t max_trees) {
  Catalog catalog;
  TreeId id;
  for (size_t i = random.Uniform(max_trees + 1); i > 0; --i) {
    id.value += 1 + random.Skewed(20);
    catalog.trees.push_back({id, random.String(random.Between(20, 255)), NodeId{1 + random.Skewed(60)},
                             random.OneIn(2) ? Codec{} : Codec{Compression::kZstd, 19}, random.OneIn(2)});
  }
  for (size_t i = random.Uniform(5); i > 0; --i) {
    catalog.functions[static_cast<uint16_t>(random.Between(1, 65535))] = random.String(random.Between(1, 64));
  }
  return catalog;
}

}  // namespace betr::layout
