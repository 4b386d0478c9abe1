// SPDX-License-Identifier: Apache-2.0
// An image on which a named damage is done: to bytes of structures, by forged structures under good checksums, by wrong
// states, or by wrong records of the file system.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "layout/superblock.h"
#include "layout/table_page.h"
#include "store/offline/inspect.h"
#include "support/damage/structures.h"
#include "support/damage/subject.h"

namespace betr::test {

// The trees of a file system.
struct FileTrees {
  Store& store;
  TreeId meta;
  TreeId data;
};

class Bench {
 public:
  explicit Bench(const Subject& subject);

  MemoryDevice& device() { return device_; }
  const Subject& subject() const { return subject_; }

  // --- finding ---
  // Returns the structure of that name, or the first whose name begins so. Requires: there is one.
  const Structure& Find(const std::string& name) const;
  // Returns the slot that holds the newest superblock, and the other one.
  size_t NewestSlot();
  // Returns the node of that height on the first way down from the root of a tree. A height above the root's means the
  // root.
  NodeId NodeOf(const std::string& tree, int height);
  const Structure& HeaderOf(NodeId node) const { return Find("node " + std::to_string(node.value)); }
  const Structure& BlocksOf(NodeId node) const { return Find("blocks of node " + std::to_string(node.value)); }
  std::string Read(const Structure& structure);
  std::string ReadBefore(const Structure& structure, size_t moment);
  // The same; empty if there was no such structure then.
  std::string TryReadBefore(const Structure& structure, size_t moment);

  // --- bytes ---
  void Flip(const Structure& structure, size_t at);
  void Zero(const Structure& structure);
  void Put(const Structure& structure, const std::string& bytes);
  void PutAt(Bytes offset, const std::string& bytes);
  // Puts an old version of some node into the place of the present one.
  void ReplayOldNode();

  // --- under good checksums ---
  void ForgeSuperblock(const std::function<void(layout::Superblock&)>& change);
  // Forges the root page of the table, which holds nodes.
  void ForgePage(const std::function<void(layout::PageImage&)>& change);
  layout::NodeEntry& EntryOf(layout::PageImage& page, NodeId node);
  // Writes a checkpoint with any state.
  void ForgeState(const std::function<void(store::Inspection&, store::State&)>& change);
  // Writes a node with other links, as a new version.
  void ForgeNode(NodeId id, const std::function<void(dag::Node&)>& change);
  // Writes a checkpoint of the same state, with every node and the catalog written anew where only single units are
  // free.
  void Scatter();
  // Appends a record behind those of the log.
  void AppendToLog(const std::string& payload);

  // --- by the store ---
  void Change(const std::function<void(Store&)>& change);
  void ChangeFiles(const std::function<void(const FileTrees&)>& change);

  // Writes the image to a file.
  void Save(const std::string& path);

 private:
  const Subject& subject_;
  MemoryDevice device_;
  std::vector<Structure> structures_;
};

}  // namespace betr::test
