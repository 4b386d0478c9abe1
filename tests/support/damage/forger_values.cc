// SPDX-License-Identifier: Apache-2.0
// What a forger puts into places of its choice.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "fs/attribute_delta.h"
#include "fs/block_delta.h"
#include "support/damage/forger.h"

namespace betr::test {

std::string Forger::AnyText() {
  switch (random_.Uniform(8)) {
    case 0:
      return random_.String(random_.Uniform(4));
    case 1:
      return std::string(random_.Skewed(20), 'p');
    case 2:
      return "";
    default: {
      std::string key = AnyKey();
      return key.substr(0, random_.Uniform(key.size() + 1));
    }
  }
}

std::string Forger::AnyKey() {
  const std::vector<dag::BlockView*> views = Views();
  if (views.empty()) return random_.String(3);
  const auto block = views[random_.Uniform(views.size())]->slot->Get();
  if (!block.ok() || (*block)->Count() == 0) return random_.String(3);
  return std::string((*block)->Key(random_.Uniform((*block)->Count())));
}

Bound Forger::AnyBound() {
  const std::string text = AnyText();
  return random_.OneIn(2) ? Bound::At(text) : Bound::Past(text);
}

Range Forger::AnyRange(const Range& inside) {
  Range range = inside;
  for (int tries = 0; tries < 8; ++tries) {
    const Bound at = AnyBound();
    if (at <= range.lo || at >= range.hi) continue;
    (random_.OneIn(2) ? range.lo : range.hi) = at;
    break;
  }
  return range;
}

uint64_t Forger::AnyNumber() {
  switch (random_.Uniform(4)) {
    case 0:
      return random_.Skewed(63);
    case 1:
      return layout::kMaxCounter - random_.Uniform(4);
    default:
      return random_.Uniform(10);
  }
}

// Other entries, in order, or bytes that are changed anywhere.
layout::StoredBlock Forger::AnyBlock(const dag::Block& old, const Codec& codec) {
  if (random_.OneIn(5)) {
    layout::StoredBlock stored;
    std::string payload(old.Payload());
    for (uint64_t n = 1 + random_.Uniform(3); n > 0; --n) {
      payload[random_.Uniform(payload.size())] = static_cast<char>(random_.Next());
    }
    stored.compression = Compress(codec, payload, &stored.bytes);
    if (random_.OneIn(4)) stored.bytes[random_.Uniform(stored.bytes.size())] ^= 1;
    stored.raw_size = {payload.size()};
    stored.checksum = Checksum(stored.bytes);
    stored.count = static_cast<uint32_t>(old.Count());
    return stored;
  }
  struct Item {
    std::string key;
    dag::MessageKind kind;
    uint16_t function;
    std::string value;
  };
  std::vector<Item> items;
  for (size_t i = 0; i < old.Count(); ++i) {
    const dag::Point point = old.PointAt(i);
    items.push_back(
        {std::string(point.key), point.message.kind, point.message.function, std::string(point.message.value)});
  }
  for (uint64_t n = 1 + random_.Uniform(3); n > 0; --n) {
    Item item = items.empty() ? Item{} : random_.Pick(items);
    if (random_.OneIn(2)) item.key = AnyKey();
    if (random_.OneIn(4)) item.key += random_.String(1);
    if (random_.OneIn(8)) item.key = std::string(random_.Skewed(18), 'k');
    if (random_.OneIn(8)) item.value = std::string(random_.Skewed(18), 'v');
    if (random_.OneIn(2)) {
      item.kind = static_cast<dag::MessageKind>(1 + random_.Uniform(3));
      constexpr std::array<uint16_t, 4> kFunctions{16, 17, 1, 999};
      item.function = kFunctions[random_.Uniform(4)];
      if (item.kind == dag::MessageKind::kUpsert) {
        item.value = random_.OneIn(2) ? fs::EncodeBlockWrite(4000, "write")
                                      : fs::EncodeDelta({.permissions = 07777, .size_at_least = 1 << 20});
      }
      if (item.kind == dag::MessageKind::kErase) item.value.clear();
    }
    items.push_back(std::move(item));
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
  dag::BlockBuilder builder;
  std::string last;
  bool is_first = true;
  for (const Item& item : items) {
    const dag::Message message{item.kind, item.kind == dag::MessageKind::kUpsert ? item.function : uint16_t{0},
                               item.value};
    if (!is_first && item.key == last && message.Terminal()) continue;
    builder.Add(item.key, message);
    last = item.key;
    is_first = false;
  }
  layout::StoredBlock stored = layout::MakeStoredBlock(codec, *builder.Finish());
  if (random_.OneIn(3)) stored.erases = std::nullopt;
  if (random_.OneIn(8)) stored.count = static_cast<uint32_t>(random_.Uniform(stored.count + 1));
  return stored;
}

std::string Forger::ForgeTable() {
  ForgedNode& forged = forgery_.nodes.at(AnyNode().value);
  switch (random_.Uniform(6)) {
    case 0:
      forged.references = static_cast<uint32_t>(random_.OneIn(4) ? UINT32_MAX - 1 : random_.Uniform(4));
      return fmt::format("{} references; ", forged.references);
    case 1:
      forged.height = static_cast<dag::Height>(random_.OneIn(4) ? random_.Uniform(201) : random_.Uniform(6));
      return "height in the table; ";
    case 2: {
      const NodeId id = AnyNode();
      const NodeId other{random_.OneIn(4) ? 1 + random_.Skewed(40) : AnyNode().value};
      if (forgery_.nodes.size() > 1 && id != other) {
        ForgedNode moved = forgery_.nodes.at(id.value);
        if (random_.OneIn(2)) forgery_.nodes.erase(id.value);
        forgery_.nodes[other.value] = std::move(moved);
      }
      return fmt::format("node {} as {}; ", id.value, other.value);
    }
    case 3:
      forgery_.CountReferences();
      return "references as they should be; ";
    default: {
      const uint64_t seed = random_.Next();
      const uint64_t chance = 1 + random_.Uniform(20);
      forgery_.change_entry = [random = Random(seed), chance,
                               last = layout::NodeEntry{}](layout::NodeEntry& entry) mutable {
        const layout::NodeEntry sound = entry;
        if (random.OneIn(chance)) {
          switch (random.Uniform(6)) {
            case 0:
              entry.extent.start = random.Skewed(48);
              break;
            case 1:
              entry.extent.units += static_cast<uint32_t>(1 + random.Uniform(3));
              break;
            case 2:
              entry.extent.scattered = true;
              break;
            case 3:
              entry.header_units = static_cast<uint32_t>(random.Uniform(4));
              break;
            case 4:
              if (!last.extent.Nowhere()) entry.extent = last.extent;
              break;
            default:
              entry.version += random.Uniform(3);
          }
        }
        last = sound;
      };
      return "places in the table; ";
    }
  }
}

std::string Forger::ForgeCatalog() {
  std::vector<layout::CatalogTree>& trees = forgery_.catalog.trees;
  if (trees.empty()) return "nothing; ";
  layout::CatalogTree& tree = random_.Pick(trees);
  switch (random_.Uniform(9)) {
    case 0:
      tree.root = AnyTarget(static_cast<dag::Height>(random_.Uniform(6)));
      return fmt::format("tree {} has root {}; ", tree.name, tree.root.value);
    case 1:
      tree.root = random_.Pick(trees).root;
      return "two roots alike; ";
    case 2:
      tree.snapshot = !tree.snapshot;
      return "a snapshot or not; ";
    case 3:
      tree.name = random_.OneIn(2) ? random_.String(1 + random_.Uniform(9)) : std::string("meta");
      return "name of a tree; ";
    case 4:
      forgery_.catalog.functions.clear();
      return "no functions; ";
    case 5:
      forgery_.catalog.functions[static_cast<uint16_t>(1 + random_.Uniform(20))] = "other";
      return "a function; ";
    case 6:
      tree.id = TreeId{AnyNumber()};
      std::sort(trees.begin(), trees.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
      return "number of a tree; ";
    case 7: {
      const layout::CatalogTree like = tree;
      const uint64_t next = std::max(forgery_.superblock.next_tree_id.value, trees.back().id.value + 1);
      const uint64_t count = random_.OneIn(4) ? 5000 : 3;
      for (uint64_t i = 0; i < count; ++i) {
        trees.push_back(like);
        trees.back().id = TreeId{next + i};
        trees.back().name = fmt::format("more-{}", next + i);
      }
      forgery_.superblock.next_tree_id = TreeId{next + count};
      return "more trees with one root; ";
    }
    default:
      trees.erase(trees.begin() + static_cast<ptrdiff_t>(random_.Uniform(trees.size())));
      return "a tree less; ";
  }
}

std::string Forger::ForgeSuperblock() {
  layout::Superblock& block = forgery_.superblock;
  switch (random_.Uniform(14)) {
    case 0:
      block.next_node_id = NodeId{AnyNumber()};
      return fmt::format("next node {}; ", block.next_node_id.value);
    case 1:
      block.next_tree_id = TreeId{AnyNumber()};
      return "next tree; ";
    case 2:
      block.next_version = random_.OneIn(2) ? layout::kMaxCounter - random_.Uniform(3) : AnyNumber();
      return "next version; ";
    case 3:
      block.session_version = AnyNumber();
      return "version of the session; ";
    case 4:
      block.checkpoint_lsn = Lsn{AnyNumber()};
      return "checkpoint LSN; ";
    case 5:
      block.log_head = AnyNumber();
      return "log head; ";
    case 6:
      block.log_opening = AnyNumber();
      return "log opening; ";
    case 7:
      block.node_size = Bytes{random_.OneIn(2) ? uint64_t{512} << random_.Uniform(16) : 512 + random_.Uniform(9999)};
      block.basement_size = Bytes{random_.OneIn(2) ? 64 : block.node_size.value};
      return "size of nodes; ";
    case 8:
      block.fanout = static_cast<uint32_t>(4 + random_.Uniform(253));
      return "fanout; ";
    case 9:
      block.reserve = BasisPoints{static_cast<uint32_t>(random_.Uniform(5001))};
      block.features.read_only_compatible = block.IsTuned() ? layout::kTuned : 0;
      return "reserve; ";
    case 10:
      block.log.units = 16 + random_.Skewed(11);
      return "size of the log; ";
    case 11:
      block.generation = Generation{AnyNumber()};
      return "generation; ";
    case 12:
      block.features.incompatible = 0;
      return "nothing is counted; ";
    default:
      block.codec = {static_cast<Compression>(random_.Uniform(3)), static_cast<int>(random_.Uniform(23))};
      return "codec; ";
  }
}

}  // namespace betr::test
