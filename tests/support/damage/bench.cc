// SPDX-License-Identifier: Apache-2.0
#include "support/damage/bench.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "betr/filesystem.h"
#include "layout/seal.h"
#include "layout/superblock_slots.h"
#include "store/checkpoint.h"
#include "support/must.h"

namespace betr::test {

Bench::Bench(const Subject& subject) : subject_(subject), device_(subject.size, subject.image) {
  structures_ = StructuresOf(device_);
}

const Structure& Bench::Find(const std::string& name) const {
  auto found = std::find_if(structures_.begin(), structures_.end(),
                            [&](const Structure& structure) { return structure.name == name; });
  if (found == structures_.end()) {
    found = std::find_if(structures_.begin(), structures_.end(),
                         [&](const Structure& structure) { return structure.name.starts_with(name); });
  }
  INFO(name);
  REQUIRE(found != structures_.end());
  return *found;
}

size_t Bench::NewestSlot() { return Must(layout::ReadNewest(device_)).slot; }

NodeId Bench::NodeOf(const std::string& tree, int height) {
  const auto image = Must(store::Inspection::Open(device_, MiB(4)));
  for (const auto& [id, info] : image->state()->trees) {
    if (info.name != tree) continue;
    NodeId node = info.root;
    while (image->state()->table.Find(node)->height > height) {
      const dag::NodePtr content = Must(dag::LoadNode(image->state()->table, node));
      const auto edge = std::find_if(content->edges.begin(), content->edges.end(),
                                     [](const dag::Edge& candidate) { return !candidate.link.Null(); });
      REQUIRE(edge != content->edges.end());
      node = edge->link.target;
    }
    return node;
  }
  FAIL("no tree " << tree);
  return kNoNode;
}

std::string Bench::Read(const Structure& structure) {
  std::string bytes(structure.extent.value, '\0');
  Must(device_.Read(structure.offset, bytes));
  return bytes;
}

std::string Bench::ReadBefore(const Structure& structure, size_t moment) {
  const std::string bytes = TryReadBefore(structure, moment);
  INFO(structure.name);
  REQUIRE_FALSE(bytes.empty());
  return bytes;
}

std::string Bench::TryReadBefore(const Structure& structure, size_t moment) {
  MemoryDevice before(subject_.size, subject_.history.at(moment));
  for (const Structure& old : StructuresOf(before)) {
    if (old.kind == structure.kind && old.id == structure.id) {
      std::string bytes(std::min(old.extent, structure.extent).value, '\0');
      Must(before.Read(old.offset, bytes));
      return bytes;
    }
  }
  return "";
}

void Bench::ReplayOldNode() {
  for (const Structure& structure : structures_) {
    for (size_t moment = 0; moment < subject_.history.size() && structure.kind == Structure::Kind::kNodeHeader;
         ++moment) {
      const std::string old = TryReadBefore(structure, moment);
      if (!old.empty() && old != Read(structure).substr(0, old.size())) {
        Put(structure, old);
        return;
      }
    }
  }
  FAIL("no node has changed");
}

void Bench::Flip(const Structure& structure, size_t at) {
  std::string byte(1, '\0');
  Must(device_.Read(structure.offset + Bytes{at}, byte));
  byte[0] = static_cast<char>(byte[0] ^ 0x10);
  PutAt(structure.offset + Bytes{at}, byte);
}

void Bench::Zero(const Structure& structure) { Put(structure, std::string(structure.extent.value, '\0')); }

void Bench::Put(const Structure& structure, const std::string& bytes) {
  REQUIRE(bytes.size() <= structure.extent.value);
  PutAt(structure.offset, bytes);
}

void Bench::PutAt(Bytes offset, const std::string& bytes) { Must(device_.Patch(offset, bytes)); }

void Bench::ForgeSuperblock(const std::function<void(layout::Superblock&)>& change) {
  layout::Superblock block = Must(layout::ReadNewest(device_)).superblock;
  change(block);
  Must(layout::WriteSuperblock(device_, block));
}

void Bench::ForgePage(const std::function<void(layout::PageImage&)>& change) {
  const layout::Superblock block = Must(layout::ReadNewest(device_)).superblock;
  REQUIRE(block.table.level == 0);
  std::string bytes(layout::kUnit.value, '\0');
  Must(device_.Read(block.table.root.extent.Offset(), bytes));
  layout::PageImage page = Must(layout::DecodePage({block.table.root, 0, 0}, bytes));
  change(page);
  bytes = layout::EncodePage(page);
  PutAt(block.table.root.extent.Offset(), bytes);
  ForgeSuperblock([&](layout::Superblock& forged) {
    forged.table.root.checksum = layout::SealOf(bytes);
    forged.table.nodes = page.nodes.size();
  });
}

layout::NodeEntry& Bench::EntryOf(layout::PageImage& page, NodeId node) {
  const auto found = std::find_if(page.nodes.begin(), page.nodes.end(), [&](const layout::NodeEntry& entry) {
    return page.first_id + entry.index == node.value;
  });
  REQUIRE(found != page.nodes.end());
  return *found;
}

void Bench::ForgeState(const std::function<void(store::Inspection&, store::State&)>& change) {
  const auto image = Must(store::Inspection::Open(device_, MiB(4)));
  auto state = std::make_shared<store::State>(*image->state());
  state->table.StartChanging();
  change(*image, *state);
  store::Checkpointer checkpointer(image->core(), image->state(), image->catalog());
  const store::Log::Checkpoint log = image->log_start();
  Must(checkpointer.Write({.state = state, .lsn = log.lsn, .log = log.position, .order = 1}).status());
}

void Bench::ForgeNode(NodeId id, const std::function<void(dag::Node&)>& change) {
  ForgeState([&](store::Inspection& image, store::State& state) {
    dag::Node node = *Must(dag::LoadNode(state.table, id));
    change(node);
    dag::NodeRecord record = *state.table.Find(id);
    record.slot = image.core().io->Adopt(id, std::move(node));
    state.table.Set(id, std::move(record));
  });
}

void Bench::Scatter() {
  std::vector<layout::ExtentRef> held;
  ForgeState([&](store::Inspection& image, store::State& state) {
    layout::SpaceMap& space = *image.core().space;
    for (const layout::UnitRange& range : space.FreeRanges()) {
      for (uint64_t unit = range.start; unit < range.end(); unit += 2) held.push_back(Must(space.Claim({unit, 1})));
    }
    std::vector<NodeId> nodes;
    state.table.ForEach([&](NodeId id, const dag::NodeRecord&) { nodes.push_back(id); });
    for (const NodeId id : nodes) {
      dag::NodeRecord record = *state.table.Find(id);
      record.slot = image.core().io->Adopt(id, dag::Node(*Must(record.slot->Get())));
      state.table.Set(id, std::move(record));
    }
    store::Tree tree = state.trees.begin()->second;
    tree.codec = tree.codec == Codec{} ? DefaultCodec(Compression::kLz4) : Codec{};  // another catalog
    state.trees.Set(std::move(tree));
  });
}

void Bench::AppendToLog(const std::string& payload) {
  const auto image = Must(store::Inspection::Open(device_, MiB(4)));
  const auto ignore = [](Lsn, std::string_view) { return absl::OkStatus(); };
  const auto log = Must(store::Log::Open(device_, image->log_area(), image->log_salt(), image->log_start(), ignore));
  Must(log->Append(log->LastLsn().Next(), payload));
  Must(log->Sync());
}

void Bench::Change(const std::function<void(Store&)>& change) {
  const std::unique_ptr<Store> store = Must(OpenSubject(device_, false));
  change(*store);
  Must(store->Close());
}

void Bench::ChangeFiles(const std::function<void(const FileTrees&)>& change) {
  Change([&](Store& store) { change({store, Must(store.FindTree(kMetaTree)), Must(store.FindTree(kDataTree))}); });
}

void Bench::Save(const std::string& path) {
  std::string bytes(subject_.size.value, '\0');
  Must(device_.Read(Bytes{0}, bytes));
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(file.good());
}

}  // namespace betr::test
