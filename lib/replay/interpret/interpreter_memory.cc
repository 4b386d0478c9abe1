// SPDX-License-Identifier: Apache-2.0
// Calls that map files into memory. What programs store there is in no trace; that they have is known only of what they
// make durable: msync(2) of a mapping into which they could store counts as a write of that range.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>

#include "replay/interpret/interpreter.h"

namespace betr::replay {
namespace {

// What is mapped beyond this is more likely untouched than stored to.
constexpr uint64_t kMostSynced = uint64_t{64} << 20;

bool IsShared(uint64_t flags) {
  const uint64_t type = flags & MAP_TYPE;
  return type == MAP_SHARED || type == MAP_SHARED_VALIDATE;
}

}  // namespace

MappedFilePointer Interpreter::Keep(const DescriptionPointer& file) {
  return {new MappedFile{.file = file}, [this](const MappedFile* mapped) {
            if (mapped->can_be_stored_to && !mapped->is_synced) ++counts_.unsynced_maps;
            delete mapped;
          }};
}

void Interpreter::AllowStores(MappedFile* mapped) {
  if (!mapped->can_be_stored_to) ++counts_.shared_maps;
  mapped->can_be_stored_to = true;
}

void Interpreter::MapMemory(Call& call) {
  if (!call.result().ok()) {
    ++counts_.other;
    return;
  }
  MemoryMap::Piece piece;
  piece.begin = static_cast<uint64_t>(call.result().value);
  piece.end = piece.begin + call.Number(1);
  piece.is_writable = (call.Flags(2) & PROT_WRITE) != 0;
  if (IsShared(call.Flags(3)) && ParseDescriptor(call.Argument(4)).has_value()) {
    const DescriptionPointer file = FileOf(call, call.Argument(4));
    const bool may_store = file != nullptr && (file->flags & O_ACCMODE) == O_RDWR;
    if (may_store && space_.Get(file->node).type == FileType::kRegular) {
      piece.mapped = Keep(file);
      piece.offset = call.Number(5);
      if (piece.is_writable) AllowStores(piece.mapped.get());
    }
  }
  ++(piece.mapped == nullptr ? counts_.other : counts_.used);
  call.task.memory->Map(piece);
}

void Interpreter::UnmapMemory(Call& call) {
  ++counts_.other;
  if (call.result().ok()) call.task.memory->Unmap(call.Number(0), call.Number(1));
}

void Interpreter::RemapMemory(Call& call) {
  ++counts_.other;
  if (!call.result().ok()) return;
  call.task.memory->Move(call.Number(0), call.Number(1), static_cast<uint64_t>(call.result().value), call.Number(2));
}

void Interpreter::ProtectMemory(Call& call) {
  ++counts_.other;
  const bool is_writable = (call.Flags(2) & PROT_WRITE) != 0;
  if (!call.result().ok()) return;
  call.task.memory->SetWritable(call.Number(0), call.Number(1), is_writable);
  if (!is_writable) return;
  for (const MemoryMap::Piece& piece : call.task.memory->In(call.Number(0), call.Number(1))) {
    AllowStores(piece.mapped.get());
  }
}

// Stores do not make a file longer: what lies behind its end is lost.
void Interpreter::WriteMapped(Call& call, const MemoryMap::Piece& piece) {
  const DescriptionPointer& file = piece.mapped->file;
  const Node& node = space_.Get(file->node);
  const uint64_t length = node.size > piece.offset ? std::min(piece.end - piece.begin, node.size - piece.offset) : 0;
  if (!piece.is_writable || length == 0) return;
  if (length > kMostSynced) return Skip("msync: what is stored in a large mapping");
  if ((file->flags & O_APPEND) != 0) return Skip("msync: of a file that is only appended to");
  Operation write = Start(call, OperationKind::kWrite, OfFile(file));
  write.offset = piece.offset;
  write.length = length;
  write.expected_count = length;
  space_.Get(file->node).NoteWrite(0);
  Emit(&write);
  ++counts_.map_syncs;
}

void Interpreter::SyncMemory(Call& call) {
  if (!call.result().ok()) return Skip("msync: failed");
  const std::vector<MemoryMap::Piece> pieces = call.task.memory->In(call.Number(0), call.Number(1));
  ++(pieces.empty() ? counts_.other : counts_.used);
  for (size_t i = 0; i < pieces.size(); ++i) {
    const MemoryMap::Piece& piece = pieces[i];
    piece.mapped->is_synced = true;
    WriteMapped(call, piece);
    const bool is_last = i + 1 == pieces.size() || pieces[i + 1].mapped != piece.mapped;
    if (!is_last || (call.Flags(2) & MS_SYNC) == 0) continue;
    Operation sync = Start(call, OperationKind::kFsync, OfFile(piece.mapped->file));
    sync.variant = Variant::kData;
    Emit(&sync);
  }
}

}  // namespace betr::replay
