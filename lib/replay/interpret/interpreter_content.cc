// SPDX-License-Identifier: Apache-2.0
// Calls that read and write what is in files.
#include <fcntl.h>
#include <linux/fs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "replay/interpret/interpreter.h"

namespace betr::replay {
namespace {

// How many bytes a call asks for: its third argument, or the sum of its vector; nothing if that was not printed.
std::optional<uint64_t> AskedOf(std::string_view name, std::string_view vector, std::string_view count) {
  if (!name.ends_with("v") && !name.ends_with("v2")) {
    const std::optional<int64_t> number = ParseNumber(count);
    return number.has_value() ? std::optional<uint64_t>(static_cast<uint64_t>(*number)) : std::nullopt;
  }
  return LengthOfVector(vector);
}

constexpr uint64_t kLargestFile = INT64_MAX - kMostMoved;

// preadv2 and pwritev2: where the descriptor stands.
constexpr auto kAtPosition = static_cast<uint64_t>(-1);

constexpr uint64_t kNoAppend = 0x20;  // RWF_NOAPPEND, which older headers do not have

bool Appends(const OpenDescription& file, uint64_t write_flags) {
  return (file.flags & O_APPEND) != 0 && (write_flags & kNoAppend) == 0;
}

// read, write, sendfile; but not pread64, io_submit.
bool MovesPosition(std::string_view name) { return !name.starts_with('p') && !name.starts_with("io_"); }

}  // namespace

std::optional<uint64_t> Interpreter::OffsetAt(std::string_view argument) const {
  if (!argument.starts_with('[')) return std::nullopt;
  const std::optional<int64_t> value = ParseNumber(argument.substr(1, argument.find(']') - 1));
  return value.has_value() ? std::optional<uint64_t>(static_cast<uint64_t>(*value)) : std::nullopt;
}

void Interpreter::ReadFrom(Call& call, const DescriptionPointer& file, uint64_t offset, uint64_t asked,
                           uint64_t count) {
  if (call.result().error == EISDIR) IsDirectory(file->node, true);
  Node& node = space_.Get(file->node);
  Operation read = Start(call, OperationKind::kRead, OfFile(file));
  read.is_at_position = MovesPosition(call.event.name);
  read.offset = offset;
  read.length = std::min(asked, kMostMoved);
  read.expected_count = count;
  int predicted = 0;
  if (node.type == FileType::kDirectory && call.result().error != EBADF) predicted = EISDIR;
  if (!Agree(call, &read, predicted) || node.type != FileType::kRegular) return;
  if (count > kMostMoved || offset > kLargestFile) return Conflict(call, "read: more than a call can read");
  LearnSize(file->node, offset + count, false);
  const uint64_t here = node.size > offset ? std::min({asked, node.size - offset, kMostMoved}) : 0;
  if (here != count && node.is_size_sure) {
    if (count > here) ShowOlder(file->node);
    Conflict(call, "read: another count by the name space");
    read.expected_count = here;
  }
  Emit(&read);
}

// What shows that a file has so many bytes: at least, or all that there are. What was not written since was there
// before the trace.
void Interpreter::LearnSize(NodeNumber number, uint64_t end, bool is_all) {
  Node& node = space_.Get(number);
  if (node.is_size_sure || node.type != FileType::kRegular || (!is_all && end <= node.size)) return;
  if (end > kLargestFile) return;
  node.size = end;
  const uint64_t initial = end - std::min(end, node.appended);
  if (!node.is_modified || initial > node.written_end) node.initial_size = initial;
  if (!is_all) return;
  node.is_size_sure = true;
  const auto clone = clones_.find(number);
  if (clone == clones_.end()) return;
  const NodeNumber source = clone->second;
  clones_.erase(clone);
  if (space_.Has(source) && !space_.Get(source).is_modified) LearnSize(source, end, true);
}

// Who writes first through a descriptor from before the trace most likely goes on where others have ended.
void Interpreter::PlaceAtEnd(OpenDescription* file) {
  if (!file->is_position_known) file->position = space_.Get(file->node).size;
  file->is_position_known = true;
}

// What the descriptor (O_SYNC, O_DSYNC) or the call itself (RWF_SYNC, RWF_DSYNC) wants durable when it returns: writes,
// and fallocate, but not ftruncate. Targets write without such flags, so that this is the only sync and the same on all
// of them.
void Interpreter::SyncWritten(const Call& call, const DescriptionPointer& file, uint64_t write_flags) {
  const bool is_whole = (file->flags & O_SYNC) == O_SYNC || (write_flags & RWF_SYNC) != 0;
  const bool is_data = (file->flags & O_DSYNC) != 0 || (write_flags & RWF_DSYNC) != 0;
  if (!is_whole && !is_data) return;
  Operation sync = Start(call, OperationKind::kFsync, OfFile(file));
  if (!is_whole) sync.variant = Variant::kData;
  Emit(&sync);
}

void Interpreter::WriteTo(Call& call, const DescriptionPointer& file, uint64_t offset, uint64_t count,
                          uint64_t write_flags) {
  Node& node = space_.Get(file->node);
  const bool is_append = Appends(*file, write_flags);
  Operation write = Start(call, is_append ? OperationKind::kAppend : OperationKind::kWrite, OfFile(file));
  write.is_at_position = MovesPosition(call.event.name);
  write.offset = is_append ? node.size : offset;
  write.length = count;
  write.expected_count = count;
  if (!Agree(call, &write, 0) || node.type != FileType::kRegular) return;
  if (count > kMostMoved || write.offset > kLargestFile) return Conflict(call, "write: more than a call can write");
  if (count > 0) {
    write.is_growing = write.offset + count > node.size;
    if (write.is_growing) clones_.erase(file->node);
    node.size = std::max(node.size, write.offset + count);
    node.NoteWrite(is_append ? 0 : write.offset + count);
    if (is_append) node.appended += count;
  }
  Emit(&write);
  if (count > 0) SyncWritten(call, file, write_flags);
}

// As FileOf; counts the call as outside if there is none.
DescriptionPointer Interpreter::KnownFileOf(Call& call, std::string_view descriptor) {
  DescriptionPointer file = FileOf(call, descriptor);
  if (file == nullptr) NoFile(call, descriptor);
  return file;
}

// Of pwritev2: RWF_APPEND, RWF_SYNC, ...
uint64_t Interpreter::WriteFlagsOf(const Call& call) { return call.event.name.ends_with("v2") ? call.Flags(4) : 0; }

// What could have been read: what was read, if the trace does not tell.
uint64_t Interpreter::AskedBy(const Call& call) {
  return AskedOf(call.event.name, call.Argument(1), call.Argument(2)).value_or(call.Moved());
}

// Reads at the position of the descriptor, and moves it.
void Interpreter::ReadOn(Call& call, const DescriptionPointer& file) {
  file->is_position_known = true;
  ReadFrom(call, file, file->position, AskedBy(call), call.Moved());
  if (call.result().ok()) file->position += call.Moved();
}

void Interpreter::Read(Call& call) {
  if (const DescriptionPointer file = KnownFileOf(call, call.Argument(0)); file != nullptr) ReadOn(call, file);
}

void Interpreter::ReadAt(Call& call) {
  const DescriptionPointer file = KnownFileOf(call, call.Argument(0));
  if (file == nullptr) return;
  if (call.event.name.ends_with("v2") && call.Number(3) == kAtPosition) return ReadOn(call, file);
  ReadFrom(call, file, call.Number(3), AskedBy(call), call.Moved());
}

void Interpreter::Write(Call& call) {
  const DescriptionPointer file = KnownFileOf(call, call.Argument(0));
  if (file == nullptr) return;
  PlaceAtEnd(file.get());
  const uint64_t flags = WriteFlagsOf(call);
  WriteTo(call, file, file->position, call.Moved(), flags);
  if (!call.result().ok()) return;
  file->position = Appends(*file, flags) ? space_.Get(file->node).size : file->position + call.Moved();
}

void Interpreter::WriteAt(Call& call) {
  const uint64_t flags = WriteFlagsOf(call);
  const bool is_append = (flags & RWF_APPEND) != 0;
  const bool is_at_position = call.event.name.ends_with("v2") && call.Number(3) == kAtPosition;
  if (is_at_position && !is_append) return Write(call);
  const DescriptionPointer file = KnownFileOf(call, call.Argument(0));
  if (file == nullptr) return;
  WriteTo(call, file, is_append ? space_.Get(file->node).size : call.Number(3), call.Moved(), flags);
  if (is_at_position && call.result().ok()) file->position = space_.Get(file->node).size;
}

void Interpreter::SeekTo(Call& call, const DescriptionPointer& file, uint64_t position, uint64_t whence) {
  const Node& node = space_.Get(file->node);
  file->position = position;
  file->is_position_known = true;
  if (node.type == FileType::kDirectory) file->has_listed = file->has_listed && file->position != 0;
  ++counts_.used;
  if (whence < SEEK_END || node.type != FileType::kRegular) return;
  Operation seek = Start(call, OperationKind::kSeek, OfFile(file));
  seek.offset = call.Number(1);
  seek.variant = whence == SEEK_END ? Variant::kEnd : whence == SEEK_DATA ? Variant::kData : Variant::kHole;
  if (whence == SEEK_END) {
    const uint64_t size = file->position - seek.offset;
    LearnSize(file->node, size, true);
    if (size == node.size) {
      seek.expected_count = size;
    } else if (node.is_size_sure) {
      if (size > node.size) ShowOlder(file->node);
      Conflict(call, "seek: another size by the name space");
    }
  }
  Emit(&seek);
}

void Interpreter::Seek(Call& call) {
  const DescriptionPointer file = KnownFileOf(call, call.Argument(0));
  if (file == nullptr) return;
  if (!call.result().ok()) return Skip("seek: failed");
  SeekTo(call, file, static_cast<uint64_t>(call.result().value), call.Flags(2));
}

// _llseek: where it leads is in an argument.
void Interpreter::SeekLong(Call& call) {
  const DescriptionPointer file = KnownFileOf(call, call.Argument(0));
  if (file == nullptr) return;
  const std::optional<uint64_t> position = OffsetAt(call.Argument(2));
  if (!call.result().ok() || !position.has_value()) return Skip("seek: failed");
  SeekTo(call, file, *position, call.Flags(3));
}

void Interpreter::TruncateSubject(Call& call, Subject subject, uint64_t size) {
  if (call.result().ok()) ConjureMissing(call, &subject, FileType::kRegular);
  if (call.result().error == EISDIR) ConjureMissing(call, &subject, FileType::kDirectory);
  Operation truncate = Start(call, OperationKind::kTruncate, subject);
  truncate.length = size;
  int predicted = subject.MissingError();
  if (predicted == 0) {
    const FileType type = space_.Get(subject.walk.place.node).type;
    if (type != FileType::kRegular) predicted = type == FileType::kDirectory ? EISDIR : EINVAL;
  }
  if (!Agree(call, &truncate, predicted)) return;
  Node& node = space_.Get(subject.walk.place.node);
  node.size = size;
  node.is_size_sure = true;
  node.is_type_sure = true;
  node.NoteWrite(size);
  Emit(&truncate);
}

void Interpreter::Truncate(Call& call) {
  const std::optional<Subject> subject = Resolve(call, "", call.Argument(0), FollowLast::kYes);
  if (subject.has_value()) TruncateSubject(call, *subject, call.Number(1));
}

void Interpreter::TruncateFile(Call& call) {
  if (call.result().error == EINVAL) return Skip("truncate: EINVAL");
  const std::optional<Subject> subject = ResolveDescriptor(call, call.Argument(0));
  if (!subject.has_value()) return;
  // Open for its path alone, whatever it is.
  if (call.result().error == EBADF) return Skip("truncate: EBADF");
  TruncateSubject(call, *subject, call.Number(1));
}

void Interpreter::Allocate(Call& call) {
  const std::optional<Subject> subject = ResolveDescriptor(call, call.Argument(0));
  if (!subject.has_value()) return;
  Operation allocate = Start(call, OperationKind::kAllocate, *subject);
  allocate.flags = static_cast<uint32_t>(call.Flags(1));
  allocate.offset = call.Number(2);
  allocate.length = call.Number(3);
  constexpr uint32_t kShifts = FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE;
  if ((allocate.flags & kShifts) != 0) return Skip("fallocate: ranges that move");
  if (!Agree(call, &allocate, 0)) return;
  Node& node = space_.Get(subject->walk.place.node);
  const uint64_t end = (allocate.flags & FALLOC_FL_KEEP_SIZE) == 0 ? allocate.offset + allocate.length : 0;
  node.size = std::max(node.size, end);
  node.NoteWrite(end);
  Emit(&allocate);
  if (const DescriptionPointer file = FileOf(call, call.Argument(0)); file != nullptr) SyncWritten(call, file, 0);
}

}  // namespace betr::replay
