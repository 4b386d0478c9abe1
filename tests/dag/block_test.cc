// SPDX-License-Identifier: Apache-2.0
#include "dag/block.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using dag::Block;
using dag::BlockBuilder;
using dag::Message;
using dag::MessageKind;

struct Entry {
  std::string key;
  MessageKind kind = MessageKind::kPut;
  uint16_t function = 0;
  std::string value;

  Message View() const { return {kind, function, value}; }
};

std::vector<Entry> SomeEntries(Random& random) {
  std::map<std::string, bool> keys;
  for (uint64_t n = random.Uniform(20); n > 0; --n) keys[random.String(random.Uniform(4))];
  std::vector<Entry> entries;
  for (const auto& [key, unused] : keys) {
    const auto kind = static_cast<MessageKind>(1 + random.Uniform(3));
    const auto function = static_cast<uint16_t>(kind == MessageKind::kUpsert ? random.Uniform(70'000) : 0);
    entries.push_back({key, kind, function, random.String(random.Skewed(9))});
    for (uint64_t n = random.OneIn(3) ? random.Uniform(3) : 0; n > 0; --n) {
      entries.push_back({key, MessageKind::kUpsert, static_cast<uint16_t>(n), random.String(2)});
    }
  }
  return entries;
}

std::shared_ptr<const Block> Build(const std::vector<Entry>& entries) {
  BlockBuilder builder;
  for (const Entry& entry : entries) builder.Add(entry.key, entry.View());
  return builder.Finish();
}

// Everything that can be asked of a block.
void ReadAll(const Block& block) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < block.Count(); ++i) {
    const Message message = block.At(i);
    bytes += block.Key(i).size() + message.value.size();
    REQUIRE(block.GroupEnd(i) > i);
    REQUIRE(block.LowerBound(block.Key(i)) <= i);
    REQUIRE(block.LowerBound(Bound::Past(block.Key(i))) > i);
  }
  REQUIRE(bytes <= block.Payload().size());
}

}  // namespace

TEST_CASE("a block gives back what was put in", "[dag][block]") {
  Random random(TestSeed());
  for (int i = 0; i < 500; ++i) {
    const std::vector<Entry> entries = SomeEntries(random);
    const auto built = Build(entries);
    const auto parsed = Block::Parse(std::string(built->Payload()));
    REQUIRE(parsed.ok());
    for (const auto& block : {built, *parsed}) {
      REQUIRE(block->Count() == entries.size());
      for (size_t at = 0; at < entries.size(); ++at) {
        REQUIRE(block->Key(at) == entries[at].key);
        REQUIRE(block->At(at).kind == entries[at].kind);
        REQUIRE(block->At(at).function == entries[at].function);
        REQUIRE(block->At(at).value == entries[at].value);
      }
    }
  }
}

TEST_CASE("a block is searched by key, by bound and by group", "[dag][block]") {
  Random random(TestSeed());
  for (int i = 0; i < 500; ++i) {
    const std::vector<Entry> entries = SomeEntries(random);
    const auto block = Build(entries);
    const std::string key = random.String(random.Uniform(4));
    const Bound bound{key, random.OneIn(2)};
    const auto at_key =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key >= key; });
    const auto at_bound =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return bound.Before(entry.key); });
    REQUIRE(block->LowerBound(key) == static_cast<size_t>(at_key - entries.begin()));
    REQUIRE(block->LowerBound(bound) == static_cast<size_t>(at_bound - entries.begin()));
    for (size_t at = 0; at < entries.size();) {
      const size_t end = block->GroupEnd(at);
      for (size_t in = at; in < end; ++in) REQUIRE(entries[in].key == entries[at].key);
      REQUIRE((end == entries.size() || entries[end].key != entries[at].key));
      at = end;
    }
  }
}

TEST_CASE("keys and values whose sizes take one, two and three bytes are read back", "[dag][block]") {
  for (const size_t size : {0, 1, 127, 128, 16'383, 16'384}) {
    for (const size_t other : {0, 127, 128, 16'384}) {
      BlockBuilder builder;
      const std::string key(size, 'k');
      const std::string value(other, 'v');
      builder.Add(key, {MessageKind::kPut, 0, value});
      builder.Add(key, {MessageKind::kUpsert, 9, value});
      builder.Add(key + "l", {MessageKind::kErase, 0, ""});
      const auto parsed = Block::Parse(std::string(builder.Finish()->Payload()));
      REQUIRE(parsed.ok());
      REQUIRE((*parsed)->Count() == 3);
      REQUIRE((*parsed)->Erases() == 1);
      for (const size_t at : {0, 1}) {
        REQUIRE((*parsed)->Key(at) == key);
        REQUIRE((*parsed)->At(at).value == value);
      }
      REQUIRE((*parsed)->Key(2) == key + "l");
    }
  }
}

TEST_CASE("the builder says how large the payload is and starts anew", "[dag][block]") {
  BlockBuilder builder;
  REQUIRE(builder.Empty());
  builder.Add("", {MessageKind::kPut, 0, "empty keys occur"});
  builder.Add("a", {MessageKind::kUpsert, 9, "delta"});
  REQUIRE(builder.LastKey() == "a");
  const Bytes size = builder.Size();
  REQUIRE(Bytes{builder.Finish()->Payload().size()} == size);
  REQUIRE(builder.Empty());
  REQUIRE(builder.Finish()->Count() == 0);
}

TEST_CASE("damage to a block is found or harmless", "[dag][block]") {
  Random random(TestSeed());
  const auto runs = static_cast<int>(20'000 * TestScale());
  int refused = 0;
  for (int i = 0; i < runs; ++i) {
    std::string payload(Build(SomeEntries(random))->Payload());
    switch (random.Uniform(4)) {
      case 0:
        payload[random.Uniform(payload.size())] = static_cast<char>(random.Next());
        break;
      case 1:
        payload.resize(random.Uniform(payload.size()));
        break;
      case 2:
        payload.insert(random.Uniform(payload.size() + 1), random.String(1 + random.Uniform(5)));
        break;
      default:
        payload = random.String(random.Uniform(64));
        break;
    }
    const auto parsed = Block::Parse(payload);
    if (parsed.ok()) {
      ReadAll(**parsed);
    } else {
      REQUIRE(absl::IsDataLoss(parsed.status()));
      ++refused;
    }
  }
  REQUIRE(refused > runs / 4);
}

TEST_CASE("each kind of damage to a block is named", "[dag][block]") {
  const auto refusal = [](std::string payload) {
    return std::string(Block::Parse(std::move(payload)).status().message());
  };
  const std::string good(Build({{"a", MessageKind::kPut, 0, "x"}, {"b", MessageKind::kErase, 0, ""}})->Payload());
  // Two entries of 5 and 4 bytes, two offsets, the count.
  REQUIRE(good.size() == 5 + 4 + 8 + 4);
  const auto with = [&](size_t at, char value) {
    std::string changed = good;
    changed[at] = value;
    return changed;
  };
  REQUIRE(refusal("abc") == "block: byte 0: too short for a count");
  REQUIRE(refusal(with(17, 9)) == "block: byte 17: count 9 does not fit");
  REQUIRE(refusal(with(9, 1)) == "block: byte 9: entry offsets do not ascend");
  REQUIRE(refusal(with(2, 4)) == "block: byte 0: unknown message kind 4");
  REQUIRE(refusal(with(1, 2)) == "block: byte 0: entry does not fill its place");
  REQUIRE(refusal(with(3, 'c')) == "block: byte 5: keys out of order");
  REQUIRE(refusal(with(8, 'a')) == "block: byte 5: keys out of order");  // a key twice, without upserts
  REQUIRE(refusal(with(13, 100)) == "block: byte 9: entry offsets do not ascend");
  const std::string alone("\0\0\0\0\1\0\0\0", 8);  // the offset of an entry that is the only one, the count
  REQUIRE(refusal(std::string("\x81\0\2\1axy", 7) + alone) == "block: byte 0: entry does not fill its place");
  REQUIRE(refusal(std::string("\1\x82\0\1axy", 7) + alone) == "block: byte 0: entry does not fill its place");
  REQUIRE(refusal(std::string("\1\0\1axy", 6) + alone) == "block: byte 0: entry does not fill its place");
  REQUIRE(refusal("x" + std::string(4, '\0')) == "block: byte 0: bytes before the first entry");
}

}  // namespace betr::test
