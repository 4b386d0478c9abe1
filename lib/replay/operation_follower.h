// SPDX-License-Identifier: Apache-2.0
// Follows operations that come from a file instead of the interpreter, on a name space of its own, and refuses what the
// interpreter would never have handed on. A target trusts its operations: a directory target goes where they lead, as
// root if need be. So of each operation it is checked that
//
// 1. its nodes and files are there, and are what it says they are;
// 2. its names are names, and lie in directories that are there;
// 3. if it changes names, the name space says as the operation does whether that succeeds.
//
// By 3 the name space stays what the target has, as long as the target does what it is told; by 1 and 2 no operation
// leads out of the target. One thread; O(1) for each operation, but a rename asks for the directories above.
#pragma once

#include <absl/status/status.h>

#include <unordered_map>

#include "replay/name_space.h"
#include "replay/operation.h"

namespace betr::replay {

class OperationFollower {
 public:
  // `space` has the initial state and outlives this.
  explicit OperationFollower(NameSpace* space) : space_(*space) {}

  // kInvalidArgument says what is wrong.
  absl::Status Check(const Operation& operation) const;
  // Does it in the name space. Requires: Check(operation) is ok.
  void Apply(const Operation& operation);

 private:
  absl::Status CheckPlace(const Place& place, bool is_probe) const;
  absl::Status CheckFile(FileNumber file, NodeNumber node) const;
  absl::Status CheckMade(const Operation& operation) const;
  absl::Status CheckNames(const Operation& operation) const;
  absl::Status CheckContent(const Operation& operation) const;
  absl::Status CheckNode(const Operation& operation) const;
  // Whether an operation that changes names fails, by the name space.
  bool MustFail(const Operation& operation) const;
  bool IsLiveDirectory(NodeNumber node) const;
  bool IsOfType(NodeNumber node, FileType type) const;

  NameSpace& space_;
  std::unordered_map<FileNumber, NodeNumber> files_;  // open
  FileNumber last_file_{};
};

}  // namespace betr::replay
