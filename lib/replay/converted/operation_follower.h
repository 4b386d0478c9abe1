// SPDX-License-Identifier: Apache-2.0
// Follows operations that come from a file instead of the interpreter, on a name space of its own. Refuses what the
// interpreter would never have handed on. This is needed because a target trusts its operations: a directory target
// goes where they lead, as root if need be. It checks of each operation that
//
// 1. its nodes and files are there, and are what it says they are; what is looked up was not known before;
// 2. its names are names, and lie in directories that are there;
// 3. if it changes names, operation and name space agree on whether that succeeds.
//
// By 3 the name space stays what the target has, as long as the target does what it is told. By 1 and 2 no operation
// leads out of the target. One thread. O(1) for each operation, except that a rename looks at the directories above.
#pragma once

#include <absl/status/status.h>

#include <unordered_map>

#include "replay/interpret/name_space.h"
#include "replay/interpret/operation.h"

namespace betr::replay {

class OperationFollower {
 public:
  // `space` must have the initial state and outlive this.
  explicit OperationFollower(NameSpace* space) : space_(*space) {}

  // Checks an operation. kInvalidArgument if it is wrong; the message says what.
  absl::Status Check(const Operation& operation) const;
  // Performs the operation in the name space. Requires: Check(operation) is ok.
  void Apply(const Operation& operation);

 private:
  absl::Status CheckPlace(const Place& place, bool is_probe) const;
  absl::Status CheckFile(FileNumber file, NodeNumber node) const;
  absl::Status CheckMade(const Operation& operation) const;
  absl::Status CheckNames(const Operation& operation) const;
  absl::Status CheckContent(const Operation& operation) const;
  absl::Status CheckNode(const Operation& operation) const;
  // Whether an operation that changes names must fail, by the name space.
  bool MustFail(const Operation& operation) const;
  bool IsLiveDirectory(NodeNumber node) const;
  bool IsOfType(NodeNumber node, FileType type) const;

  NameSpace& space_;
  std::unordered_map<FileNumber, NodeNumber> files_;  // open
  FileNumber last_file_{};
};

}  // namespace betr::replay
