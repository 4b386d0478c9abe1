// SPDX-License-Identifier: Apache-2.0
// What must have been there before a trace, found by reading it: what a call finds without a call having made it.
// Types, modes, sizes and targets come from what calls show of them; where none does, a file is taken to be empty with
// mode 0644, a directory to have 0755. Names that the trace never touches cannot be found.
//
// A symlink that is followed before a call shows that it is one is taken for what it leads to. A reading of the trace
// that finds such links has to be done once more, beginning with them.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "replay/initial_links.h"
#include "replay/interpreter.h"
#include "replay/manifest.h"

namespace betr::replay {

class Inference final : public Conjurer {
 public:
  // Puts the links that earlier readings have found into `space`, which has the root alone. `links` outlives this.
  Inference(InitialLinks* links, NameSpace* space);

  bool Conjure(NameSpace* space, NodeNumber parent, const std::string& name, FileType type) override;
  void SeeLink(const NameSpace& space, NodeNumber node, const InitialLink& seen) override;
  void SeeFollowed(const NameSpace& space, NodeNumber link) override;
  void SeeMade(const NameSpace& space, const Place& place) override;
  void SeePath(const NameSpace& space, const Place& place, std::string_view told) override;

  // After the reading: whether it has found links that it should have begun with. They are in `links` then.
  bool CollectLinks(const NameSpace& space);

  // What was there, after the whole trace was interpreted on `space`.
  Manifest Found(const NameSpace& space) const;

 private:
  using Key = std::pair<NodeNumber, std::string>;
  // That a node is a symlink to that path.
  struct Way {
    NodeNumber node;
    std::string leads_to;
  };

  void Note(const std::string& path, const InitialLink& seen);
  void PutLink(NameSpace* space, const std::string& path, const std::string& target);
  // Where it was before the trace, or a symlink to it; empty if nothing was.
  std::string InitialPathOf(const NameSpace& space, NodeNumber node) const;
  void Add(const std::string& path, NodeNumber directory, const NameSpace& space, Manifest* manifest) const;

  // By directory and name, as it was before the trace. Each node has a use, so that it stays when the trace removes it.
  std::map<Key, NodeNumber> initial_;
  absl::flat_hash_map<NodeNumber, const Key*> keys_;
  absl::flat_hash_map<NodeNumber, Key> made_;  // by opens, where there was no such name, but a symlink may have been
  InitialLinks& links_;
  bool has_found_links_ = false;
  // What is no symlink, as what was opened through it is where it seems to be.
  absl::flat_hash_set<NodeNumber> in_place_;
  // Opens that led elsewhere, one for each directory. One of the nodes of each is a symlink, likelier a later one,
  // which is higher.
  std::map<NodeNumber, std::vector<Way>> elsewhere_;
};

}  // namespace betr::replay
