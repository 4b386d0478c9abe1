// SPDX-License-Identifier: Apache-2.0
// The nodes that a salvage can use: those of the table, and those that a scan of the device finds.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "layout/scan.h"
#include "store/offline/inspect.h"

namespace betr::store {

// Used by one thread.
class SalvageNodes {
 public:
  // `image` outlives this.
  explicit SalvageNodes(Inspection& image);

  // Searches the whole device. Errors: those of reading any of it, since what is looked for may be there.
  absl::Status Scan();

  dag::NodeTable& table() { return table_; }
  NodeId next_id() const { return next_id_; }
  // The newest catalog that was found. Null if there is none.
  const layout::ScannedCatalog* newest_catalog() const { return catalog_ ? &*catalog_ : nullptr; }

  // Loads a node, from the table or from where it was found on the device. If it was only found on the device, it is
  // put into the table. Its record says its height. Errors: why it cannot be read.
  absl::StatusOr<dag::NodePtr> Load(NodeId id);
  // Puts every node that was found on the device into the table if its page of the table is lost. For when whatever
  // named it may be lost too. Some of these nodes may have been given up before the checkpoint: nobody can tell any
  // more.
  void TakeUnlisted();
  // Puts a new node into the table. / Puts another version of one there.
  NodeId Create(dag::Node node);
  void Replace(NodeId id, dag::Node node);

  // Counts how often nodes of the table, dead ones too, name each node. Reads them. Cost: the headers of all nodes
  // above the leaves. `are_all_read` tells whether all of them could be read.
  absl::flat_hash_map<NodeId, uint32_t> CountNames(bool* are_all_read);
  // The write version of a node of the table; 0 if it is to be written anew.
  uint64_t VersionOf(NodeId id) const;
  // What was found of a node whose page of the table is lost. Null for others.
  const layout::ScannedNode* FoundBySearch(NodeId id) const;

  // The number of places that may hold something, and were not looked at closer (layout/scan.h). 0 if nothing was
  // searched for.
  uint64_t PassedOver() const { return has_searched_ ? passed_over_ : 0; }
  // What was found elsewhere than the table said, or without it.
  const std::vector<std::string>& found() const { return found_; }

 private:
  absl::StatusOr<dag::NodePtr> LoadRecord(NodeId id, const dag::NodeRecord& record);
  // Loads the scanned node of that version, or the newest one that the checkpoint may have.
  absl::StatusOr<dag::NodePtr> LoadScanned(NodeId id, uint64_t version, const absl::Status& why);
  // How many of its blocks have their checksums.
  size_t ReadableBlocks(const layout::ScannedNode& scanned);
  absl::StatusOr<dag::NodePtr> Take(const layout::ScannedNode& scanned, uint32_t references);

  Inspection& image_;
  dag::NodeTable table_;
  NodeId next_id_;
  std::vector<layout::ScannedNode> scanned_;  // by id and version
  std::optional<layout::ScannedCatalog> catalog_;
  uint64_t passed_over_ = 0;
  bool has_searched_ = false;
  absl::flat_hash_map<NodeId, absl::Status> bad_;
  absl::flat_hash_map<NodeId, layout::ScannedNode> unlisted_;  // that were taken
  std::vector<std::string> found_;
};

}  // namespace betr::store
