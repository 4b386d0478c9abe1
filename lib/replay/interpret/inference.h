// SPDX-License-Identifier: Apache-2.0
// Finds what must have been there before a trace, by reading it: what a call finds without a call having made it.
// Types, modes, sizes and targets come from what calls show of them. Where no call shows them, a file is taken to be
// empty with mode 0644, and a directory to have mode 0755. Names that the trace never touches cannot be found.
//
// Two things may be mistaken at first. A symlink that is followed before a call shows that it is one is taken for what
// it leads to. A file that an open with O_CREAT finds is taken for one that it makes. If a reading of the trace learns
// better, it has to be done once more, beginning with these names.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/interpret/initial_names.h"
#include "replay/interpret/interpreter.h"
#include "replay/interpret/manifest.h"

namespace betr::replay {

class Inference final : public Conjurer {
 public:
  // Puts the names that earlier readings found into `space`, which has only the root. `names` must outlive this.
  Inference(InitialNames* names, NameSpace* space);

  bool Conjure(NameSpace* space, NodeNumber parent, const std::string& name, FileType type) override;
  void SeeMade(const NameSpace& space, const Place& place, bool is_sure) override;
  void SeeOlder(const NameSpace& space, NodeNumber node) override;
  void SeeNotEmpty(NodeNumber directory) override { not_empty_.insert(directory); }
  void SeeLink(const NameSpace& space, NodeNumber node, const InitialLink& seen) override;
  void SeeReplacedLink(const NameSpace& space, NodeNumber node) override;
  void SeeNoLink(const NameSpace& space, NodeNumber node) override;
  void SeeFollowed(const NameSpace& space, NodeNumber link) override;
  void SeePath(const NameSpace& space, const Place& place, std::string_view told) override;

  // Call it after the reading. Returns whether that found names that it should have begun with; they are in `names`
  // then.
  bool CollectNames(const NameSpace& space);

  // Returns what was there. Call it once the whole trace has been interpreted on `space`.
  Manifest Found(const NameSpace& space) const;

 private:
  using Key = std::pair<NodeNumber, std::string>;
  // Says that one of these nodes, each in the next one, is a symlink. If it is the first, it leads to `told`; if the
  // second, to the directory of `told`; and so on.
  struct Ways {
    std::vector<NodeNumber> nodes;
    std::string told;
  };

  // Puts a name where it was before the trace. 0 if it cannot have been there.
  NodeNumber Put(NameSpace* space, const std::string& path, FileType type);
  // Returns where the node was before the trace, or a name by which it was found then. Empty if nothing was there.
  std::string InitialPathOf(const NameSpace& space, NodeNumber node) const;
  void NoteLink(const std::string& path, const InitialLink& seen);
  void NoteFile(const std::string& path);
  void Add(const std::string& path, NodeNumber directory, const NameSpace& space, Manifest* manifest) const;

  // By directory and name, as before the trace. Each node has a use, so that it stays when the trace removes it.
  std::map<Key, NodeNumber> initial_;
  absl::flat_hash_map<NodeNumber, const Key*> keys_;
  absl::flat_hash_map<NodeNumber, Key> opened_;  // made by opens, if there was nothing
  absl::flat_hash_set<Key> free_;                // names that calls have shown not to have been there
  InitialNames& names_;
  bool has_found_names_ = false;
  // Nodes that are not symlinks, as what was opened through them is where it seems to be.
  absl::flat_hash_set<NodeNumber> in_place_;
  std::set<NodeNumber> not_empty_;            // directories that had something in them
  absl::flat_hash_set<NodeNumber> replaced_;  // links that are not there any more, though they seem to be
  std::map<NodeNumber, Ways> elsewhere_;      // opens that led elsewhere, one for each directory
};

}  // namespace betr::replay
