// SPDX-License-Identifier: Apache-2.0
// Calls that move content between descriptors, submit it in bulk, or make it durable.
#include <fcntl.h>
#include <linux/fs.h>

#include <algorithm>
#include <cerrno>

#include "replay/interpreter.h"

namespace betr::replay {

void Interpreter::CopyRange(Call& call) {
  const DescriptionPointer from = FileOf(call, call.Argument(0));
  const DescriptionPointer to = FileOf(call, call.Argument(2));
  if (from == nullptr || to == nullptr) {
    return Transfer(call, from, OffsetAt(call.Argument(1)), to, OffsetAt(call.Argument(3)));
  }
  const std::optional<uint64_t> from_offset = OffsetAt(call.Argument(1));
  const std::optional<uint64_t> to_offset = OffsetAt(call.Argument(3));
  const uint64_t count = call.Moved();
  Operation copy = Start(call, OperationKind::kCopyRange, OfFile(from));
  copy.to = OfFile(to).walk.place;
  copy.to_file = to->file;
  copy.offset = from_offset.value_or(from->position);
  copy.to_offset = to_offset.value_or(to->position);
  copy.length = count;
  copy.expected_count = count;
  if (!Agree(call, &copy, 0)) return;
  const Node& source = space_.Get(from->node);
  if (source.is_size_sure && count > source.size - std::min(source.size, copy.offset)) {
    return Conflict(call, "copy: more than there is by the name space");
  }
  Node& written = space_.Get(to->node);
  if (count > 0) {
    written.size = std::max(written.size, copy.to_offset + count);
    written.is_modified = true;
  }
  if (!from_offset.has_value()) from->position += count;
  if (!to_offset.has_value()) to->position += count;
  Emit(&copy);
}

// Moves the bytes by reading and writing, for an end that is no file of the replay.
void Interpreter::Transfer(Call& call, const DescriptionPointer& from, std::optional<uint64_t> from_offset,
                           const DescriptionPointer& to, std::optional<uint64_t> to_offset) {
  if (from == nullptr && to == nullptr) {
    ++counts_.outside;
    return;
  }
  if (!call.result().ok()) return Skip("copy: failed");
  const uint64_t count = call.Moved();
  if (from != nullptr) {
    ReadFrom(call, from, from_offset.value_or(from->position), count, count);
    if (!from_offset.has_value()) from->position += count;
  }
  if (to != nullptr) {
    WriteTo(call, to, to_offset.value_or(to->position), count);
    if (!to_offset.has_value()) to->position += count;
  }
}

void Interpreter::SendFile(Call& call) {
  Transfer(call, FileOf(call, call.Argument(1)), OffsetAt(call.Argument(2)), FileOf(call, call.Argument(0)),
           std::nullopt);
}

void Interpreter::Splice(Call& call) {
  Transfer(call, FileOf(call, call.Argument(0)), OffsetAt(call.Argument(1)), FileOf(call, call.Argument(2)),
           OffsetAt(call.Argument(3)));
}

// FICLONE and FICLONERANGE; other ioctls are about devices and terminals.
void Interpreter::CloneFile(Call& call) {
  const uint64_t request = call.Flags(1);
  if (request != FICLONE && request != FICLONERANGE) {
    ++counts_.other;
    return;
  }
  const DescriptionPointer to = FileOf(call, call.Argument(0));
  const std::string_view range = call.Argument(2);
  const DescriptionPointer from = FileOf(call, request == FICLONE ? range : FindField(range, "src_fd"));
  if (to == nullptr || from == nullptr) {
    ++counts_.outside;
    return;
  }
  Operation copy = Start(call, OperationKind::kCopyRange, OfFile(from));
  copy.to = OfFile(to).walk.place;
  copy.to_file = to->file;
  copy.length = space_.Get(from->node).size;
  if (request == FICLONERANGE) {
    const auto field = [range](std::string_view name) {
      return static_cast<uint64_t>(ParseNumber(FindField(range, name)).value_or(0));
    };
    copy.offset = field("src_offset");
    copy.to_offset = field("dest_offset");
    copy.length -= std::min(copy.length, copy.offset);
    if (field("src_length") != 0) copy.length = std::min(copy.length, field("src_length"));
  }
  if (!Agree(call, &copy, 0)) return;
  copy.expected_count = copy.length;
  Node& written = space_.Get(to->node);
  written.size = std::max(written.size, copy.to_offset + copy.length);
  written.is_modified = true;
  Emit(&copy);
}

// The requests are done when they are submitted; what io_getevents says comes later, but is the same.
void Interpreter::Submit(Call& call) {
  const std::optional<std::vector<std::string_view>> requests = ParseArray(call.Argument(2));
  if (!call.result().ok() || !requests.has_value()) return Skip("io_submit: what was submitted is not known");
  const size_t submitted = std::min(requests->size(), static_cast<size_t>(call.result().value));
  for (size_t i = 0; i < submitted; ++i) {
    const std::string_view request = (*requests)[i];
    const std::string_view command = FindField(request, "aio_lio_opcode");
    const DescriptionPointer file = FileOf(call, FindField(request, "aio_fildes"));
    const auto length = static_cast<uint64_t>(ParseNumber(FindField(request, "aio_nbytes")).value_or(0));
    const auto offset = static_cast<uint64_t>(ParseNumber(FindField(request, "aio_offset")).value_or(0));
    if (file == nullptr) {
      ++counts_.outside;
    } else if (command.find("PREAD") != std::string_view::npos) {
      const uint64_t size = space_.Get(file->node).size;
      ReadFrom(call, file, offset, length, size > offset ? std::min(length, size - offset) : 0);
    } else if (command.find("PWRITE") != std::string_view::npos) {
      WriteTo(call, file, offset, length);
    } else {
      Operation sync = Start(call, OperationKind::kFsync, OfFile(file));
      ++counts_.used;
      Emit(&sync);
    }
  }
}

void Interpreter::SyncAll(Call& call) {
  Subject subject;
  if (call.event.name == "syncfs") {
    const std::optional<Subject> of_file = ResolveDescriptor(call, call.Argument(0));
    if (!of_file.has_value()) return;
    subject = *of_file;
  }
  Operation sync = Start(call, OperationKind::kSync, subject);
  if (Agree(call, &sync, 0)) Emit(&sync);
}

void Interpreter::SyncFile(Call& call) {
  const std::optional<Subject> subject = ResolveDescriptor(call, call.Argument(0));
  if (!subject.has_value()) return;
  Operation sync = Start(call, OperationKind::kFsync, *subject);
  if (call.event.name == "fdatasync") sync.variant = Variant::kData;
  if (call.event.name == "sync_file_range") {
    sync.variant = Variant::kWriteback;
    sync.offset = call.Number(1);
    sync.length = call.Number(2);
  }
  if (Agree(call, &sync, 0)) Emit(&sync);
}

}  // namespace betr::replay
