// SPDX-License-Identifier: Apache-2.0
// The contents of an in-memory device: a sparse array of immutable pages. A copy shares all pages with its original.
// From then on the two change independently. So an image can be copied at every write of a long run. Knows nothing of
// devices, ranges or locks.
//
// 1. A page never changes once it is in a map; a change puts another page in its place.
// 2. An absent page reads as zeros, and a page of zeros is never stored.
// 3. A chunk whose owner is this map's token is referenced by no other map, and may be changed in place.
//
// Cost: a copy takes O(chunks) = O(pages / 64). Set takes O(log chunks), plus 64 pointers for the first change of a
// chunk after a copy. Threads: a map is like a std::map (one writer, or readers), except that copying a map counts as
// writing it. Maps that share pages are independent of each other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "device/block_device.h"

namespace betr {

class PageMap {
 public:
  using Page = std::array<char, kBlockSize.value>;
  using PagePointer = std::shared_ptr<const Page>;

  PageMap();
  PageMap(const PageMap& other);
  PageMap& operator=(const PageMap& other);
  PageMap(PageMap&&) noexcept = default;
  PageMap& operator=(PageMap&&) noexcept = default;

  // The page with this number; null: zeros.
  PagePointer Get(uint64_t number) const;

  // Null makes the page absent.
  void Set(uint64_t number, PagePointer page);

  // How many pages are present.
  size_t PageCount() const;

  // A page with these contents; null when they are all zero. Requires: contents.size() == kBlockSize.
  static PagePointer MakePage(std::string_view contents);

 private:
  static constexpr uint64_t kChunkPages = 64;

  struct Chunk {
    uint64_t number = 0;
    uint64_t owner = 0;
    std::array<PagePointer, kChunkPages> pages;
  };

  const Chunk* Find(uint64_t chunk_number) const;
  Chunk& Own(uint64_t chunk_number);

  mutable uint64_t token_;                      // copying takes the chunks away from the original too
  std::vector<std::shared_ptr<Chunk>> chunks_;  // by number
};

}  // namespace betr
