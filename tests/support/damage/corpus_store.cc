// SPDX-License-Identifier: Apache-2.0
// Damages to superblocks, the node table, the catalog.
#include <utility>

#include "base/check.h"
#include "layout/superblock_slots.h"
#include "support/damage/corpus.h"

namespace betr::test {
namespace {

Structure Slot(size_t slot) {
  return {Structure::Kind::kSuperblock, "superblock", layout::kSlotOffset[slot], layout::kUnit, layout::kUnit, 0};
}

// A damage to the newest slot, and one to the other.
void FlipNewest(Bench& bench, size_t at) { bench.Flip(Slot(bench.NewestSlot()), at); }
void FlipOther(Bench& bench, size_t at) { bench.Flip(Slot(1 - bench.NewestSlot()), at); }

void ForeignSlot(Bench& bench) {
  layout::Superblock block = layout::ReadNewest(bench.device())->superblock;
  block.uuid = UuidFromSeed(7);
  block.generation = Generation{block.generation.value - 1};
  bench.PutAt(layout::kSlotOffset[block.generation.value % 2], layout::EncodeSuperblock(block));
}

void OldOtherSlot(Bench& bench) {
  layout::Superblock block = layout::ReadNewest(bench.device())->superblock;
  const size_t other = 1 - block.generation.value % 2;
  block.generation = Generation{block.generation.value - 3};
  bench.PutAt(layout::kSlotOffset[other], layout::EncodeSuperblock(block));
}

// As a write that never arrived leaves it: the slot has the superblock before the other one's.
void LostWrite(Bench& bench) {
  const size_t newest = bench.NewestSlot();
  layout::Superblock block = *layout::ReadSlots(bench.device())[1 - newest];
  block.generation = Generation{block.generation.value - 1};
  bench.PutAt(layout::kSlotOffset[newest], layout::EncodeSuperblock(block));
}

void BothSlots(Bench& bench) {
  bench.Zero(Slot(0));
  bench.Flip(Slot(1), 200);
}

void NoSlots(Bench& bench) {
  bench.Zero(Slot(0));
  bench.Zero(Slot(1));
}

Structure Copy(Bench& bench) {
  const Bytes offset = bench.device().Size() - layout::kUnit;
  return {Structure::Kind::kSuperblock, "copy of the superblock", offset, layout::kUnit, layout::kUnit, 0};
}

auto Forged(std::function<void(layout::Superblock&)> change) {
  return [change = std::move(change)](Bench& bench) { bench.ForgeSuperblock(change); };
}

auto InPage(std::function<void(Bench&, layout::PageImage&)> change) {
  return [change = std::move(change)](Bench& bench) {
    bench.ForgePage([&](layout::PageImage& page) { change(bench, page); });
  };
}

auto InEntry(int height, std::function<void(layout::NodeEntry&)> change) {
  return InPage([height, change = std::move(change)](Bench& bench, layout::PageImage& page) {
    change(bench.EntryOf(page, bench.NodeOf("main", height)));
  });
}

auto InState(std::function<void(store::State&)> change) {
  return [change = std::move(change)](Bench& bench) {
    bench.ForgeState([&](store::Inspection&, store::State& state) { change(state); });
  };
}

const std::vector<std::string> kCopies = {"catalog", "second copy of the catalog"};

auto InCopies(std::vector<std::string> copies, std::function<void(Bench&, const Structure&)> change) {
  return [copies = std::move(copies), change = std::move(change)](Bench& bench) {
    for (const std::string& copy : copies) change(bench, bench.Find(copy));
  };
}

void PutOld(Bench& bench, const Structure& copy) { bench.Put(copy, bench.ReadBefore(copy, 0)); }

TreeId TreeOf(const store::State& state, const std::string& name) {
  const store::Tree* tree = state.trees.FindName(name);
  return tree != nullptr ? tree->id : state.trees.begin()->first;
}

NodeId SomeLeaf(const store::State& state) {
  NodeId leaf;
  state.table.ForEach(
      [&](NodeId id, const dag::NodeRecord& record) { leaf = record.height == 0 && !record.Dead() ? id : leaf; });
  return leaf;
}

}  // namespace

void ZeroEveryCatalog(Bench& bench) {
  std::string unit(layout::kUnit.value, '\0');
  for (Bytes at{0}; at < bench.device().Size(); at += layout::kUnit) {
    Check(bench.device().Read(at, unit).ok(), "memory can be read");
    if (unit.starts_with("betrCATA")) bench.PutAt(at, std::string(unit.size(), '\0'));
  }
}

std::vector<DamageCase> SuperblockCases() {
  return {
      {"magic of the newest", [](Bench& b) { FlipNewest(b, 0); }, "superblock: no magic", "both slots are intact"},
      {"uuid of the newest", [](Bench& b) { FlipNewest(b, 9); }, "superblock: checksum is", "both slots are intact"},
      {"checksum of the newest", [](Bench& b) { FlipNewest(b, 505); }, "superblock: checksum is", "both slots"},
      {"behind the first sector", [](Bench& b) { FlipNewest(b, 3000); }, "not zero behind its first sector", "both"},
      {"the newest is zero", [](Bench& b) { b.Zero(Slot(b.NewestSlot())); }, "superblock: no magic", "both slots"},
      {"generation of the other", [](Bench& b) { FlipOther(b, 120); }, "superblock: checksum is", "both slots"},
      {"the other is zero", [](Bench& b) { b.Zero(Slot(1 - b.NewestSlot())); }, "superblock: no magic", "both slots"},
      {"the other is too old", OldOtherSlot, "superblock: of generation", "both slots are intact"},
      {"a slot of another image", ForeignSlot, "superblock: of another image", "both slots are intact"},
      {"the newest was not written", LostWrite, "superblock: the copy at unit", "made anew from the copy at unit"},
      {"both slots", BothSlots, "no valid superblock", "made anew from the copy at unit"},
      {"both slots are zero", NoSlots, "no valid superblock", "made anew from the copy at unit"},
      {"the copy", [](Bench& b) { b.Flip(Copy(b), 130); }, "superblock: the copy at unit", "and the copy is"},
      {"the copy is zero", [](Bench& b) { b.Zero(Copy(b)); }, "superblock: the copy at unit", "and the copy is"},
      {"both slots and the copy", [](Bench& b) { BothSlots(b), b.Zero(Copy(b)); }, "no valid superblock",
       "no valid superblock", false, 4, 4},
      {"table has other nodes", Forged([](auto& block) { ++block.next_node_id.value, ++block.table.nodes; }),
       "nodes, the superblock says", "nodes kept, 0 lost"},
      {"next node id too low", Forged([](auto& block) { block.next_node_id.value -= 2, block.table.nodes -= 2; }),
       "the next new one is", "nodes kept, 0 lost"},
      {"next tree id too low", Forged([](auto& block) { block.next_tree_id.value -= 1; }), "the next new one is",
       "nodes kept, 0 lost"},
      {"next version too low", Forged([](auto& block) { block.next_version -= 3; }), "its write version is",
       "nodes kept, 0 lost"},
      {"table somewhere else", Forged([](auto& block) { ++block.table.root.extent.start; }), "node table: page at unit",
       "found in the extent"},
      {"table of another checksum", Forged([](auto& block) { ++block.table.root.checksum; }),
       "node table: page at unit", "may be older or missing: node 1", true},
      {"table of another level", Forged([](auto& block) { ++block.table.level; }), "node table: page at unit",
       "may be older or missing: node 1", true},
      {"catalog somewhere else", Forged([](auto& block) { --block.catalog.copies[0].start; }), "catalog: magic is",
       "catalog: both copies are intact"},
      {"both copies of the catalog somewhere else",
       Forged([](auto& block) { --block.catalog.copies[0].start, --block.catalog.copies[1].start; }),
       "catalog: magic is", "as the checksum of the lost one proves"},
      {"both copies of the catalog in one place",
       Forged([](auto& block) { block.catalog.copies[1] = block.catalog.copies[0]; }), "catalog: extent of",
       "catalog: both copies are intact"},
  };
}

std::vector<DamageCase> OlderStateCases() {
  const auto lose_copy = [](Bench& b) { b.Zero(Copy(b)); };
  return {
      {"the newest and the copy", [=](Bench& b) { FlipNewest(b, 9), lose_copy(b); }, "which may be an older one",
       "lost: what may have been synced later", true},
      {"the other one, which may have been newer", [](Bench& b) { FlipOther(b, 9); }, "which may be an older one",
       "lost: what may have been synced later", true},
      {"both slots, and the copy may be older", BothSlots, "no valid superblock",
       "lost: what may have been synced later", true},
  };
}

std::vector<DamageCase> TableCases() {
  return {
      {"page zeroed", [](Bench& b) { b.Zero(b.Find("table page")); }, "node table: page at unit", "found in the"},
      {"page header flipped", [](Bench& b) { b.Flip(b.Find("table page"), 20); }, "checksum is", "found in the"},
      {"page entry flipped", [](Bench& b) { b.Flip(b.Find("table page"), 150); }, "checksum is", "found in the"},
      {"old page in its place", [](Bench& b) { b.Put(b.Find("table page"), b.ReadBefore(b.Find("table page"), 1)); },
       "node table: page at unit", "found in the"},
      {"a node in the page's place", [](Bench& b) { b.Put(b.Find("table page"), b.Read(b.Find("node "))); },
       "node table: page at unit", "found in the"},
      {"count too high", InEntry(0, [](auto& entry) { entry.references += 2; }), "reference count is",
       "the reference count is now"},
      {"count too low", InEntry(9, [](auto& entry) { entry.references = 200; }), "reference count is 200",
       "the reference count is now"},
      {"alive and marked dead", InEntry(0, [](auto& entry) { entry.references = 0; }), "reference count is 0",
       "the reference count is now"},
      {"height too high", InEntry(0, [](auto& entry) { ++entry.height; }), "height", "nodes kept, 0 lost"},
      {"height of a root too low", InEntry(9, [](auto& entry) { entry.height = 0; }), "is a leaf",
       "nodes kept, 0 lost"},
      {"another version", InEntry(0, [](auto& entry) { --entry.version; }), "write version", "nodes kept, 1 lost",
       true},
      {"header units", InEntry(0, [](auto& entry) { ++entry.header_units; }), "header", "found in the extent"},
      {"extent units", InEntry(9, [](auto& entry) { ++entry.extent.units; }), "overlaps the", "found in the extent"},
      {"extent outside", InEntry(0, [](auto& entry) { entry.extent.start = 5000; }), "lies outside the space",
       "nodes kept, 1 lost", true},
      {"two in one place", InPage([](Bench& b, layout::PageImage& page) {
         b.EntryOf(page, b.NodeOf("main", 0)).extent = b.EntryOf(page, b.NodeOf("main", 9)).extent;
       }),
       "overlaps the", "found in the extent"},
      {"an entry is missing", InState([](store::State& state) { state.table.Remove(SomeLeaf(state)); }),
       "which is not in the node table", "nodes kept, 1 lost", true},
      {"a node that nobody names",
       [](Bench& b) {
         b.ForgeState([](store::Inspection& image, store::State& state) {
           const NodeId id = std::exchange(state.next_node, state.next_node.Next());
           state.table.Set(id, {1, 0, {}, image.core().io->Adopt(id, dag::EmptyNode(0, Range::All(), Codec{}))});
         });
       },
       "but 0 name it", "removed from the node table"},
      {"catalog zeroed", [](Bench& b) { b.Zero(b.Find(kCopies[0])); }, "catalog: magic is", "both copies are intact"},
      {"catalog flipped", [](Bench& b) { b.Flip(b.Find(kCopies[0]), 70); }, "catalog: checksum is",
       "both copies are intact"},
      {"second copy flipped", [](Bench& b) { b.Flip(b.Find(kCopies[1]), 70); }, "catalog: checksum is",
       "both copies are intact"},
      {"old catalog in its place", InCopies({kCopies[0]}, PutOld), "catalog: ", "both copies are intact"},
      {"both copies zeroed", InCopies(kCopies, [](Bench& b, const Structure& copy) { b.Zero(copy); }),
       "catalog: magic is", "found in an older catalog", true},
      {"both copies flipped", InCopies(kCopies, [](Bench& b, const Structure& copy) { b.Flip(copy, 70); }),
       "catalog: checksum is", "found in an older catalog", true},
      {"old catalogs in both places", InCopies(kCopies, PutOld), "catalog: ", "found in an older catalog", true},
      {"every catalog zeroed", ZeroEveryCatalog, "catalog: magic is", "nobody names it", true},
      {"a very old catalog only",
       [](Bench& bench) {
         ZeroEveryCatalog(bench);
         InCopies(kCopies, PutOld)(bench);
       },
       "catalog: ", "nobody names it", true},
      {"root that is not there", InState([](store::State& state) {
         const NodeId root{state.next_node.value - 1};
         state.trees.SetRoot(TreeOf(state, "main"), root);
         state.table.Remove(root);
       }),
       "is not in the node table", "its root is lost", true},
      {"root that is a leaf",
       InState([](store::State& state) { state.trees.SetRoot(TreeOf(state, "other"), SomeLeaf(state)); }), "is a leaf",
       "its root is lost", true},
  };
}

}  // namespace betr::test
