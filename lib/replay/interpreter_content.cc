// SPDX-License-Identifier: Apache-2.0
// Calls that read and write what is in files.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "replay/interpreter.h"

namespace betr::replay {
namespace {

// How many bytes a call asks for: its third argument, or the sum of its vector; nothing if that was not printed.
std::optional<uint64_t> AskedOf(std::string_view name, std::string_view vector, std::string_view count) {
  if (!name.ends_with("v") && !name.ends_with("v2")) {
    const std::optional<int64_t> number = ParseNumber(count);
    return number.has_value() ? std::optional<uint64_t>(static_cast<uint64_t>(*number)) : std::nullopt;
  }
  const std::optional<std::vector<std::string_view>> parts = ParseArray(vector);
  if (!parts.has_value()) return std::nullopt;
  uint64_t sum = 0;
  for (const std::string_view part : *parts) {
    const std::optional<int64_t> length = ParseNumber(FindField(part, "iov_len"));
    if (!length.has_value()) return std::nullopt;
    sum += static_cast<uint64_t>(*length);
  }
  return sum;
}

constexpr uint64_t kLargestFile = INT64_MAX - kMostMoved;

// preadv2 and pwritev2: where the descriptor stands.
constexpr auto kAtPosition = static_cast<uint64_t>(-1);

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
  Node& node = space_.Get(file->node);
  Operation read = Start(call, OperationKind::kRead, OfFile(file));
  read.is_at_position = MovesPosition(call.event.name);
  read.offset = offset;
  read.length = std::min(asked, kMostMoved);
  read.expected_count = count;
  int predicted = 0;
  if (node.type == FileType::kDirectory) predicted = EISDIR;
  if (!Agree(call, &read, predicted) || node.type != FileType::kRegular) return;
  if (count > kMostMoved || offset > kLargestFile) return Conflict(call, "read: more than a call can read");
  if (!node.is_size_sure && offset + count > node.size) {
    node.size = offset + count;
    if (!node.is_modified) node.initial_size = node.size;
  }
  const uint64_t here = node.size > offset ? std::min({asked, node.size - offset, kMostMoved}) : 0;
  if (here != count && node.is_size_sure) {
    Conflict(call, "read: another count by the name space");
    read.expected_count = here;
  }
  Emit(&read);
}

void Interpreter::WriteTo(Call& call, const DescriptionPointer& file, uint64_t offset, uint64_t count) {
  Node& node = space_.Get(file->node);
  const bool is_append = (file->flags & O_APPEND) != 0;
  Operation write = Start(call, is_append ? OperationKind::kAppend : OperationKind::kWrite, OfFile(file));
  write.is_at_position = MovesPosition(call.event.name);
  write.offset = is_append ? node.size : offset;
  write.length = count;
  write.expected_count = count;
  if (!Agree(call, &write, 0) || node.type != FileType::kRegular) return;
  if (count > kMostMoved || write.offset > kLargestFile) return Conflict(call, "write: more than a call can write");
  if (count > 0) {
    write.is_growing = write.offset + count > node.size;
    node.size = std::max(node.size, write.offset + count);
    node.is_modified = true;
  }
  Emit(&write);
}

// As FileOf; counts the call as outside if there is none.
DescriptionPointer Interpreter::KnownFileOf(Call& call, std::string_view descriptor) {
  DescriptionPointer file = FileOf(call, descriptor);
  if (file == nullptr) ++counts_.outside;
  return file;
}

// What could have been read: what was read, if the trace does not tell.
uint64_t Interpreter::AskedBy(const Call& call) {
  return AskedOf(call.event.name, call.Argument(1), call.Argument(2)).value_or(call.Moved());
}

// Reads at the position of the descriptor, and moves it.
void Interpreter::ReadOn(Call& call, const DescriptionPointer& file) {
  ReadFrom(call, file, file->position, AskedBy(call), call.Moved());
  if (call.result().ok()) file->position += call.Moved();
}

void Interpreter::Read(Call& call) {
  if (const DescriptionPointer file = KnownFileOf(call, call.Argument(0)); file != nullptr) ReadOn(call, file);
}

void Interpreter::ReadAt(Call& call) {
  const DescriptionPointer file = KnownFileOf(call, call.Argument(0));
  if (file == nullptr) return;
  if (call.Number(3) == kAtPosition) return ReadOn(call, file);
  ReadFrom(call, file, call.Number(3), AskedBy(call), call.Moved());
}

void Interpreter::Write(Call& call) {
  const DescriptionPointer file = KnownFileOf(call, call.Argument(0));
  if (file == nullptr) return;
  WriteTo(call, file, file->position, call.Moved());
  if (!call.result().ok()) return;
  const bool is_append = (file->flags & O_APPEND) != 0;
  file->position = is_append ? space_.Get(file->node).size : file->position + call.Moved();
}

void Interpreter::WriteAt(Call& call) {
  if (call.Number(3) == kAtPosition) return Write(call);
  const DescriptionPointer file = KnownFileOf(call, call.Argument(0));
  if (file != nullptr) WriteTo(call, file, call.Number(3), call.Moved());
}

void Interpreter::Seek(Call& call) {
  const DescriptionPointer file = FileOf(call, call.Argument(0));
  if (file == nullptr || !call.result().ok()) {
    ++(file == nullptr ? counts_.outside : counts_.skipped["seek: failed"]);
    return;
  }
  const Node& node = space_.Get(file->node);
  file->position = static_cast<uint64_t>(call.result().value);
  if (node.type == FileType::kDirectory) file->has_listed = file->has_listed && file->position != 0;
  const uint64_t whence = call.Flags(2);
  ++counts_.used;
  if (whence < SEEK_END || node.type != FileType::kRegular) return;
  Operation seek = Start(call, OperationKind::kSeek, OfFile(file));
  seek.offset = call.Number(1);
  seek.variant = whence == SEEK_END ? Variant::kEnd : whence == SEEK_DATA ? Variant::kData : Variant::kHole;
  if (whence == SEEK_END) {
    const uint64_t size = file->position - seek.offset;
    if (size == node.size) {
      seek.expected_count = size;
    } else if (node.is_size_sure) {
      Conflict(call, "seek: another size by the name space");
    }
  }
  Emit(&seek);
}

void Interpreter::TruncateSubject(Call& call, const Subject& subject, uint64_t size) {
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
  node.is_modified = true;
  Emit(&truncate);
}

void Interpreter::Truncate(Call& call) {
  const std::optional<Subject> subject = Resolve(call, "", call.Argument(0), FollowLast::kYes);
  if (subject.has_value()) TruncateSubject(call, *subject, call.Number(1));
}

void Interpreter::TruncateFile(Call& call) {
  const std::optional<Subject> subject = ResolveDescriptor(call, call.Argument(0));
  if (subject.has_value()) TruncateSubject(call, *subject, call.Number(1));
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
  if ((allocate.flags & FALLOC_FL_KEEP_SIZE) == 0) node.size = std::max(node.size, allocate.offset + allocate.length);
  node.is_modified = true;
  Emit(&allocate);
}

}  // namespace betr::replay
