// SPDX-License-Identifier: Apache-2.0
#include "layout/stored_block.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status.h"

namespace betr::layout {
namespace {

absl::Status BlockDamage(const BlockEntry& entry, std::string_view what) {
  return absl::DataLossError(fmt::format("block at byte {} of the extent: {}", entry.offset.value, what));
}

// Entries [first, second) of a block.
using Span = std::pair<size_t, size_t>;

// The entries that the ranges show, as ascending spans that do not overlap.
std::vector<Span> ShownSpans(const dag::Block& block, const std::vector<Range>& shown) {
  std::vector<Span> spans;
  for (const Range& range : shown) {
    const size_t begin = block.LowerBound(range.lo);
    const size_t end = block.LowerBound(range.hi);
    if (begin < end) spans.emplace_back(begin, end);
  }
  std::sort(spans.begin(), spans.end());
  size_t kept = 0;
  for (const Span& span : spans) {
    if (kept > 0 && span.first <= spans[kept - 1].second) {
      spans[kept - 1].second = std::max(spans[kept - 1].second, span.second);
    } else {
      spans[kept++] = span;
    }
  }
  spans.resize(kept);
  return spans;
}

}  // namespace

StoredBlock MakeStoredBlock(const Codec& codec, const dag::Block& block) {
  Check(block.Payload().size() <= kMaxRawSize.value, "a block is not larger than what can be compressed");
  Check(block.Count() <= std::numeric_limits<uint32_t>::max(), "the entries of a block can be counted in 32 bits");
  StoredBlock stored;
  stored.compression = Compress(codec, block.Payload(), &stored.bytes);
  stored.raw_size = {block.Payload().size()};
  stored.checksum = Checksum(stored.bytes);
  stored.count = static_cast<uint32_t>(block.Count());
  stored.erases = static_cast<uint32_t>(block.Erases());
  return stored;
}

absl::Status CheckStoredBlock(const BlockEntry& entry, std::string_view stored) {
  if (stored.size() != entry.stored_size.value) {
    return BlockDamage(entry, fmt::format("{} bytes, must be {}", stored.size(), entry.stored_size.value));
  }
  const uint64_t checksum = Checksum(stored);
  if (checksum != entry.checksum) {
    return BlockDamage(entry, fmt::format("checksum is {:016x}, must be {:016x}", checksum, entry.checksum));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const dag::Block>> DecodeBlock(const BlockEntry& entry, std::string stored) {
  BETR_RETURN_IF_ERROR(CheckStoredBlock(entry, stored));
  absl::StatusOr<std::string> payload = Decompress(entry.compression, std::move(stored), entry.raw_size);
  if (!payload.ok()) return BlockDamage(entry, std::string(payload.status().message()));
  absl::StatusOr<std::shared_ptr<const dag::Block>> block = dag::Block::Parse(*std::move(payload));
  if (!block.ok()) return BlockDamage(entry, std::string(block.status().message()));
  if ((*block)->Count() != entry.count) {
    return BlockDamage(entry, fmt::format("{} entries, must be {}", (*block)->Count(), entry.count));
  }
  if (entry.erases && (*block)->Erases() != *entry.erases) {
    return BlockDamage(entry, fmt::format("{} erases, must be {}", (*block)->Erases(), *entry.erases));
  }
  return block;
}

absl::StatusOr<StoredBlock> CopyStoredBlock(const BlockEntry& entry, std::string stored) {
  BETR_RETURN_IF_ERROR(CheckStoredBlock(entry, stored));
  return StoredBlock{entry.compression, entry.raw_size, entry.checksum, entry.count, entry.erases, std::move(stored)};
}

std::vector<BlockUse> BlocksOf(const dag::Node& node) {
  std::vector<BlockUse> uses;
  absl::flat_hash_map<const dag::BlockSlot*, size_t> index;
  const auto add = [&](const dag::BlockView& view) {
    const auto [entry, is_new] = index.try_emplace(view.slot.get(), uses.size());
    if (is_new) uses.push_back({view.slot.get(), {}});
    uses[entry->second].shown.push_back({view.affix.Store(view.clip.lo), view.affix.Store(view.clip.hi)});
  };
  for (const dag::Edge& edge : node.edges) std::for_each(edge.partition.runs.begin(), edge.partition.runs.end(), add);
  std::for_each(node.basements.begin(), node.basements.end(), add);
  return uses;
}

std::shared_ptr<const dag::Block> Trim(const dag::Block& block, const std::vector<Range>& shown) {
  const std::vector<Span> spans = ShownSpans(block, shown);
  size_t count = 0;
  for (const Span& span : spans) count += span.second - span.first;
  if (2 * count >= block.Count()) return nullptr;
  dag::BlockBuilder builder;
  for (const Span& span : spans) {
    for (size_t i = span.first; i < span.second; ++i) builder.Add(block.Key(i), block.At(i));
  }
  return builder.Finish();
}

}  // namespace betr::layout
