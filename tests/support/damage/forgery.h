// SPDX-License-Identifier: Apache-2.0
// A whole image as values that can be changed at will and written anew, all under good checksums: what somebody may
// make who means harm. Only what no decoder would accept is refused.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/memory_device.h"
#include "layout/catalog_codec.h"
#include "layout/stored_block.h"
#include "layout/superblock.h"
#include "layout/table_page.h"

namespace betr::test {

// A block of a forged node.
class ForgedSlot final : public dag::BlockSlot {
 public:
  explicit ForgedSlot(layout::StoredBlock block) : stored(std::move(block)) {}
  absl::StatusOr<std::shared_ptr<const dag::Block>> Get() const override;
  std::shared_ptr<const dag::Block> Peek() const override { return nullptr; }
  size_t Count() const override { return stored.count; }
  Bytes Size() const override { return stored.raw_size; }

  const layout::StoredBlock stored;
};

struct ForgedNode {
  dag::Node node;
  uint32_t references = 0;
  dag::Height height = 0;  // what the table says
};

class Forgery {
 public:
  // Reads an image, which must be sound, but for its log.
  explicit Forgery(MemoryDevice& device);

  std::map<uint64_t, ForgedNode> nodes;
  layout::Catalog catalog;
  layout::Superblock superblock;
  // Change what is about to be written, if they are there: an entry of the table, after the node has its place; the
  // bytes of a node's header, a page, the catalog, before they are sealed.
  std::function<void(layout::NodeEntry&)> change_entry;
  std::function<void(std::string&)> change_bytes;

  // Counts how often each node is named, as the table should say.
  void CountReferences();
  // Writes all of it, but for the log, which stays. Errors: what an encoder refuses, kResourceExhausted.
  absl::Status Write(MemoryDevice& device) const;

 private:
  absl::Status WriteNodes(MemoryDevice& device, uint64_t* next, std::vector<layout::PageImage>* pages) const;
  absl::Status WriteTable(MemoryDevice& device, uint64_t* next, std::vector<layout::PageImage> pages,
                          layout::Superblock* block) const;
  absl::Status WriteCatalogs(MemoryDevice& device, uint64_t* next, layout::Superblock* block) const;
  void Reseal(std::string& bytes) const;

  uint64_t first_version_ = 0;  // of what is written
};

}  // namespace betr::test
