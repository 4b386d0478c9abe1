// SPDX-License-Identifier: Apache-2.0
// The shared mappings of replayed files in one address space, as far as the trace tells: what was mapped where, and
// whether stores into it were possible. A mapping keeps its file open, as in the kernel.
//
// Ranges do not overlap: a new mapping replaces what was there. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "replay/interpret/open_description.h"

namespace betr::replay {

// One mmap(2). It remains one after parts of it are gone, and in forked children.
struct MappedFile {
  DescriptionPointer file;
  bool can_be_stored_to = false;  // it is or was writable
  bool is_synced = false;         // msync(2) was called for some of it
};
using MappedFilePointer = std::shared_ptr<MappedFile>;

class MemoryMap {
 public:
  // A part of the address space, and where in the file it begins.
  struct Piece {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t offset = 0;
    bool is_writable = false;
    MappedFilePointer mapped{};  // null: something else, which is not kept
  };

  // Maps a piece. Addresses are below 2^63, as in the kernel; others are ignored.
  void Map(const Piece& piece);
  void Unmap(uint64_t begin, uint64_t length);
  // mremap(2): moves what was in the old range to the new one, as far as that reaches. A longer new range continues the
  // file.
  void Move(uint64_t from, uint64_t from_length, uint64_t to, uint64_t to_length);
  void SetWritable(uint64_t begin, uint64_t length, bool is_writable);
  // Returns what is mapped in a range, cut to it.
  std::vector<Piece> In(uint64_t begin, uint64_t length) const;

 private:
  // Splits a piece at the address, so that none lies on both sides.
  void Split(uint64_t address);

  std::map<uint64_t, Piece> pieces_;  // by their begin
};

}  // namespace betr::replay
