// SPDX-License-Identifier: Apache-2.0
// What is mapped where.
#include "replay/interpret/memory_map.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/random.h"
#include "support/seed.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

// "100-200 of 3 at 0 w" for each piece in the whole address space; the mapping is told by its file's number.
Strings Pieces(const MemoryMap& map) {
  Strings texts;
  for (const MemoryMap::Piece& piece : map.In(0, uint64_t{1} << 62)) {
    texts.push_back(fmt::format("{}-{} of {} at {}{}", piece.begin, piece.end, piece.mapped->file->file.value,
                                piece.offset, piece.is_writable ? " w" : ""));
  }
  return texts;
}

MappedFilePointer File(uint64_t number) {
  auto description = std::make_shared<OpenDescription>();
  description->file = FileNumber{number};
  auto mapped = std::make_shared<MappedFile>();
  mapped->file = std::move(description);
  return mapped;
}

TEST_CASE("mappings take the place of others, and are unmapped in parts") {
  MemoryMap map;
  map.Map({.begin = 1000, .end = 2000, .offset = 50, .is_writable = true, .mapped = File(1)});
  map.Map({.begin = 1400, .end = 1500, .offset = 0, .mapped = File(2)});
  CHECK(Pieces(map) == Strings{"1000-1400 of 1 at 50 w", "1400-1500 of 2 at 0", "1500-2000 of 1 at 550 w"});
  map.Map({.begin = 1450, .end = 1600, .mapped = nullptr});
  map.Unmap(900, 200);
  CHECK(Pieces(map) == Strings{"1100-1400 of 1 at 150 w", "1400-1450 of 2 at 0", "1600-2000 of 1 at 650 w"});
  map.SetWritable(1300, 400, false);
  CHECK(Pieces(map) == Strings{"1100-1300 of 1 at 150 w", "1300-1400 of 1 at 350", "1400-1450 of 2 at 0",
                               "1600-1700 of 1 at 650", "1700-2000 of 1 at 750 w"});
  map.Unmap(0, 5000);
  CHECK(Pieces(map).empty());
}

TEST_CASE("what is moved is where it was moved to, shorter or longer") {
  MemoryMap map;
  map.Map({.begin = 1000, .end = 2000, .offset = 50, .mapped = File(1)});
  map.Move(1000, 1000, 5000, 300);
  CHECK(Pieces(map) == Strings{"5000-5300 of 1 at 50"});
  map.Move(5000, 300, 8000, 700);
  CHECK(Pieces(map) == Strings{"8000-8700 of 1 at 50"});
  map.Move(8000, 700, 8000, 900);
  CHECK(Pieces(map) == Strings{"8000-8900 of 1 at 50"});
  map.Map({.begin = 8100, .end = 8200, .mapped = nullptr});
  map.Move(8050, 200, 100, 200);
  CHECK(Pieces(map) ==
        Strings{"100-150 of 1 at 100", "250-300 of 1 at 250", "8000-8050 of 1 at 50", "8250-8900 of 1 at 300"});
}

TEST_CASE("ranges that no kernel would have are left out") {
  MemoryMap map;
  map.Map({.begin = UINT64_MAX - 10, .end = 10, .mapped = File(1)});
  map.Map({.begin = 5, .end = 5, .mapped = File(1)});
  map.Map({.begin = UINT64_MAX - 10, .end = UINT64_MAX, .mapped = File(1)});
  CHECK(Pieces(map).empty());
  map.Map({.begin = 100, .end = 200, .mapped = File(1)});
  map.Unmap(150, UINT64_MAX);
  map.Move(0, UINT64_MAX, 5, UINT64_MAX);
  CHECK(Pieces(map) == Strings{"100-200 of 1 at 0"});
}

TEST_CASE("random mappings are as an array of pages has them") {
  constexpr uint64_t kPages = 60;
  struct Page {
    uint64_t file = 0;  // 0: none
    uint64_t offset = 0;
    bool operator==(const Page&) const = default;
  };
  Random random(TestSeed());
  MemoryMap map;
  std::array<Page, kPages> pages{};
  for (uint64_t step = 1; step < 4000; ++step) {
    const uint64_t begin = random.Uniform(kPages);
    const uint64_t length = random.Between(1, kPages - begin);
    if (random.OneIn(2)) {
      map.Map({.begin = begin, .end = begin + length, .offset = step, .mapped = File(step)});
      for (uint64_t i = 0; i < length; ++i) pages.at(begin + i) = {step, step + i};
    } else {
      map.Unmap(begin, length);
      for (uint64_t i = 0; i < length; ++i) pages.at(begin + i) = {};
    }
    std::array<Page, kPages> found{};
    const uint64_t from = random.Uniform(kPages);
    for (const MemoryMap::Piece& piece : map.In(from, kPages - from)) {
      for (uint64_t at = piece.begin; at < piece.end; ++at) {
        found.at(at) = {piece.mapped->file->file.value, piece.offset + (at - piece.begin)};
      }
    }
    REQUIRE(std::equal(found.begin() + static_cast<ptrdiff_t>(from), found.end(),
                       pages.begin() + static_cast<ptrdiff_t>(from)));
  }
}

}  // namespace
}  // namespace betr::replay
