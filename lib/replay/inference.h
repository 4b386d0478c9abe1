// SPDX-License-Identifier: Apache-2.0
// What must have been there before a trace, found by reading it: what a call finds without a call having made it.
// Types, modes, sizes and targets come from what calls show of them; where none does, a file is taken to be empty with
// mode 0644, a directory to have 0755. Names that the trace never touches cannot be found.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "replay/interpreter.h"
#include "replay/manifest.h"

namespace betr::replay {

class Inference final : public Conjurer {
 public:
  bool Conjure(NameSpace* space, NodeNumber parent, const std::string& name, FileType type) override;

  // What was there, after the whole trace was interpreted on `space`.
  Manifest Found(const NameSpace& space) const;

 private:
  void Add(const std::string& path, NodeNumber directory, const NameSpace& space, Manifest* manifest) const;

  // By directory and name, as it was before the trace. Each node has a use, so that it stays when the trace removes it.
  std::map<std::pair<NodeNumber, std::string>, NodeNumber> initial_;
};

}  // namespace betr::replay
