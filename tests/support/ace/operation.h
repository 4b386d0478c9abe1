// SPDX-License-Identifier: Apache-2.0
// The operations of the bounded space of file-system workloads, with their arguments: the 76 of ACE
// (docs/reliability.md), and others. Each is identified by a text of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "betr/filesystem.h"

namespace betr::ace {

enum class Verb : uint8_t {
  kCreate,
  kMakeDirectory,
  kAllocate,
  kWrite,
  kMapWrite,  // a write through a mapping, then msync of it: a persistence point of its own
  kLink,
  kRename,
  kUnlink,
  kSetXattr,
  kRemoveXattr,
  kTruncate,
  // Beyond ACE.
  kReplace,  // a rename over something that exists
  kLeave,    // a rename that leaves a new file under the old name
  kExchange,
  kClone,
  kSymlink,
  kMakeFifo,
  kRemoveDirectory,
  kRemoveTree,
  kSetMode,
  kSetOwner,
  kSetTimes,
  kCopyRange,
  kOrphan,   // unlinked while it is open, and open until the crash
  kUnnamed,  // a file without a name, open until the crash
};

// A range of a file, relative to its size. kNone is the whole file.
enum class Part : uint8_t {
  kNone,
  kAppend,         // 32 KiB at the end
  kOverlapStart,   // 5000 bytes at 0
  kOverlapExtend,  // 5000 bytes from 2000 before the end
  kFirst8K,
  kSparse,  // 5000 bytes, 40,000 behind the end
  kMiddle,  // up to 12,000 bytes from 5000 on, but not at the end
};

struct Operation {
  std::string text;  // "rename:foo:A/bar"
  Verb verb = Verb::kCreate;
  std::string path;  // from the root, without a slash in front; "" is the root
  std::string other;
  Part part = Part::kNone;
  AllocateMode mode = AllocateMode::kExtend;
  uint64_t size = 0;  // of truncations; of values of xattrs
  bool is_of_ace = true;

  // Returns the paths that it names.
  std::vector<std::string> Names() const;
};

// Returns all operations, those of ACE first. They live for ever.
const std::vector<Operation>& Operations();
size_t CountOfAce();

// Finds the operation with this text; null if there is none.
const Operation* FindOperation(std::string_view text);

}  // namespace betr::ace
