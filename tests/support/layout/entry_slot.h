// SPDX-License-Identifier: Apache-2.0
// Block slots that know their entry in a block table and nothing else. For headers without blocks.
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "layout/node_codec.h"

namespace betr::layout {

class EntrySlot final : public dag::BlockSlot {
 public:
  explicit EntrySlot(const BlockEntry& stored) : entry(stored) {}
  absl::StatusOr<std::shared_ptr<const dag::Block>> Get() const override { return absl::UnimplementedError(""); }
  std::shared_ptr<const dag::Block> Peek() const override { return nullptr; }
  size_t Count() const override { return entry.count; }
  Bytes Size() const override { return entry.raw_size; }

  const BlockEntry entry;
};

// A MakeBlockSlot.
std::shared_ptr<const dag::BlockSlot> MakeEntrySlot(const BlockEntry& entry);

// A FetchBlock for entry slots. Returns the right size and checksum, but not the right bytes.
absl::StatusOr<StoredBlock> FetchEntry(const BlockUse& use);

}  // namespace betr::layout
