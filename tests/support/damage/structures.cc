// SPDX-License-Identifier: Apache-2.0
#include "support/damage/structures.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "layout/extent_map.h"
#include "layout/superblock.h"
#include "store/log/log_scan.h"
#include "store/offline/inspect.h"
#include "store/slots.h"

namespace betr::test {
namespace {

using Kind = Structure::Kind;

Bytes UsedSize(MemoryDevice& device, Bytes offset, Bytes size) {
  std::string bytes(size.value, '\0');
  REQUIRE(device.Read(offset, bytes).ok());
  return Bytes{bytes.find_last_not_of('\0') + 1};
}

bool IsMap(MemoryDevice& device, const store::UsedExtent& used) {
  std::string bytes(layout::kMapMagic.size(), '\0');
  REQUIRE(device.Read(used.extent.Offset(), bytes).ok());
  return bytes == layout::kMapMagic;
}

// What has an extent of its own, or a part of a scattered one.
Structure PartOf(MemoryDevice& device, const store::UsedExtent& used) {
  using Holder = store::UsedExtent::Holder;
  const Bytes offset = used.extent.Offset();
  Structure part{Kind::kTablePage,   used.Name(), offset, UsedSize(device, offset, used.extent.Size()),
                 used.extent.Size(), used.id};
  if (used.holder != Holder::kTablePage) {
    part.kind = used.holder == Holder::kCatalog ? Kind::kCatalog : Kind::kBlocks;
    if (IsMap(device, used)) {
      part.kind = Kind::kExtentMap;
      part.name = "extent map of " + (used.holder == Holder::kCatalog ? part.name : fmt::format("node {}", used.id));
    }
  }
  return part;
}

void AddExtent(MemoryDevice& device, store::Inspection& image, const store::UsedExtent& used,
               std::vector<Structure>* all) {
  const Bytes offset = used.extent.Offset();
  if (used.holder != store::UsedExtent::Holder::kNode) {
    all->push_back(PartOf(device, used));
    return;
  }
  const dag::NodeRecord* record = image.state()->table.Find(NodeId{used.id});
  const auto* version = dynamic_cast<const store::NodeVersion*>(record->slot.get());
  const Bytes header = layout::UnitBytes(version->Address()->header_units);
  all->push_back({Kind::kNodeHeader, used.Name(), offset, UsedSize(device, offset, header), header, used.id});
  const Bytes blocks = used.extent.Size() - header;
  if (blocks.value > 0) {
    all->push_back({Kind::kBlocks, "blocks of " + used.Name(), offset + header,
                    UsedSize(device, offset + header, blocks), blocks, used.id});
  }
}

}  // namespace

std::vector<Structure> StructuresOf(MemoryDevice& device) {
  std::vector<Structure> all;
  for (const Bytes offset : layout::kSlotOffset) {
    all.push_back({Kind::kSuperblock, "superblock", offset, layout::kUnit, layout::kUnit, 0});
  }
  const auto image = store::Inspection::Open(device, MiB(4));
  REQUIRE(image.ok());
  all.push_back({Kind::kSuperblockCopy, "copy of the superblock", layout::UnitBytes((*image)->superblock().CopyUnit()),
                 layout::kUnit, layout::kUnit, 0});
  for (const store::UsedExtent& used : (*image)->extents()) AddExtent(device, **image, used, &all);
  const store::LogArea area = (*image)->log_area();
  store::LogScanner scanner(device, area, (*image)->log_salt(), (*image)->log_start().position);
  while (*scanner.Next()) {
    const uint64_t sequence = scanner.header().position.sequence;
    all.push_back({Kind::kLog, fmt::format("log frame {}", sequence),
                   area.offset + kBlockSize * (sequence % area.Blocks()),
                   Bytes{store::FrameHeader::kSize + scanner.header().record_bytes}, kBlockSize, sequence});
  }
  return all;
}

}  // namespace betr::test
