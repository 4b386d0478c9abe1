// SPDX-License-Identifier: Apache-2.0
#include "device/page_map.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/check.h"

namespace betr {
namespace {

uint64_t NewToken() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

PageMap::PageMap() : token_(NewToken()) {}

PageMap::PageMap(const PageMap& other) : token_(NewToken()), chunks_(other.chunks_) { other.token_ = NewToken(); }

PageMap& PageMap::operator=(const PageMap& other) {
  if (this == &other) return *this;
  token_ = NewToken();
  chunks_ = other.chunks_;
  other.token_ = NewToken();
  return *this;
}

PageMap::PagePointer PageMap::Get(uint64_t number) const {
  const Chunk* const chunk = Find(number / kChunkPages);
  return chunk == nullptr ? nullptr : chunk->pages[number % kChunkPages];
}

void PageMap::Set(uint64_t number, PagePointer page) {
  if (page == nullptr && Find(number / kChunkPages) == nullptr) return;
  Own(number / kChunkPages).pages[number % kChunkPages] = std::move(page);
}

size_t PageMap::PageCount() const {
  size_t count = 0;
  for (const auto& chunk : chunks_) {
    count += kChunkPages - static_cast<size_t>(std::count(chunk->pages.begin(), chunk->pages.end(), nullptr));
  }
  return count;
}

PageMap::PagePointer PageMap::MakePage(std::string_view contents) {
  Check(contents.size() == kBlockSize.value, "a page has the size of a block");
  if (contents[0] == 0 && contents.find_first_not_of('\0') == std::string_view::npos) return nullptr;
  auto page = std::make_shared<Page>();
  std::memcpy(page->data(), contents.data(), contents.size());
  return page;
}

const PageMap::Chunk* PageMap::Find(uint64_t chunk_number) const {
  const auto at = std::ranges::lower_bound(chunks_, chunk_number, {}, &Chunk::number);
  return at != chunks_.end() && (*at)->number == chunk_number ? at->get() : nullptr;
}

PageMap::Chunk& PageMap::Own(uint64_t chunk_number) {
  auto at = std::ranges::lower_bound(chunks_, chunk_number, {}, &Chunk::number);
  if (at == chunks_.end() || (*at)->number != chunk_number) {
    at = chunks_.insert(at, std::make_shared<Chunk>());
    (*at)->number = chunk_number;
  } else if ((*at)->owner != token_) {
    *at = std::make_shared<Chunk>(**at);
  }
  (*at)->owner = token_;
  return **at;
}

}  // namespace betr
