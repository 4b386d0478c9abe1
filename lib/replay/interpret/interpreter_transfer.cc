// SPDX-License-Identifier: Apache-2.0
// Calls that move content between descriptors, submit it in bulk, or make it durable.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>

#include "replay/interpret/interpreter.h"

namespace betr::replay {

void Interpreter::CopyRange(Call& call) {
  const DescriptionPointer from = FileOf(call, call.Argument(0));
  const DescriptionPointer to = FileOf(call, call.Argument(2));
  if (from == nullptr || to == nullptr) {
    return Transfer(call, from, OffsetAt(call.Argument(1)), to, OffsetAt(call.Argument(3)));
  }
  const std::optional<uint64_t> from_offset = OffsetAt(call.Argument(1));
  const std::optional<uint64_t> to_offset = OffsetAt(call.Argument(3));
  if (!from_offset.has_value()) from->is_position_known = true;
  if (!to_offset.has_value()) PlaceAtEnd(to.get());
  const uint64_t count = call.Moved();
  Operation copy = Start(call, OperationKind::kCopyRange, OfFile(from));
  copy.to = OfFile(to).walk.place;
  copy.to_file = to->file;
  copy.offset = from_offset.value_or(from->position);
  copy.to_offset = to_offset.value_or(to->position);
  copy.length = count;
  copy.expected_count = count;
  const bool is_refused = call.result().error == EISDIR;
  // Most copies are to files.
  const bool is_directory = IsDirectory(to->node, false) || IsDirectory(from->node, is_refused);
  if (is_directory && is_refused) return Skip("copy: EISDIR");
  if (!Agree(call, &copy, is_directory && call.result().ok() ? EISDIR : 0)) return;
  const Node& source = space_.Get(from->node);
  LearnSize(from->node, copy.offset + count, false);
  if (source.is_size_sure && count > source.size - std::min(source.size, copy.offset)) {
    ShowOlder(from->node);
    return Conflict(call, "copy: more than there is by the name space");
  }
  Node& written = space_.Get(to->node);
  if (count > 0) {
    written.size = std::max(written.size, copy.to_offset + count);
    written.NoteWrite(copy.to_offset + count);
  }
  // Both may be one open file.
  if (!from_offset.has_value()) from->position = copy.offset + count;
  if (!to_offset.has_value()) to->position = copy.to_offset + count;
  Emit(&copy);
  if (count > 0) SyncWritten(call, to, 0);
}

// Moves the bytes by reading and writing, for an end that is no file of the replay.
void Interpreter::Transfer(Call& call, const DescriptionPointer& from, std::optional<uint64_t> from_offset,
                           const DescriptionPointer& to, std::optional<uint64_t> to_offset) {
  if (from == nullptr && to == nullptr) {
    const std::string_view other = call.Argument(call.event.name.starts_with("sendfile") ? 1 : 2);
    NoFile(call, IsUntold(call, other) ? other : call.Argument(0));
    return;
  }
  if (!call.result().ok()) return Skip("copy: failed");
  const uint64_t count = call.Moved();
  // Both may be one open file, whose position is then moved once.
  std::optional<uint64_t> source = from_offset;
  if (from != nullptr && !from_offset.has_value()) {
    from->is_position_known = true;
    source = from->position;
  }
  std::optional<uint64_t> target = to_offset;
  if (to != nullptr && !to_offset.has_value()) {
    PlaceAtEnd(to.get());
    target = to->position;
  }
  if (from != nullptr) {
    ReadFrom(call, from, *source, count, count);
    if (!from_offset.has_value()) from->position = *source + count;
  }
  if (to != nullptr) {
    WriteTo(call, to, *target, count);
    if (!to_offset.has_value()) to->position = *target + count;
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

// What is not named here is about devices and terminals.
void Interpreter::Control(Call& call) {
  const uint64_t request = call.Flags(1);
  if (request == FICLONE || request == FICLONERANGE) return CloneFile(call, request);
  ++counts_.other;
  const bool is_of_exec = request == FIOCLEX || request == FIONCLEX;
  if (is_of_exec && call.result().ok()) SetClosedOnExec(call, request == FIOCLEX);
}

// FICLONE and FICLONERANGE. No count is expected: the trace has none, and what is shared counts as written by nobody.
void Interpreter::CloneFile(Call& call, uint64_t request) {
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
  if (request == FICLONERANGE) {
    const auto field = [range](std::string_view name) {
      return static_cast<uint64_t>(ParseNumber(FindField(range, name)).value_or(0));
    };
    if (call.result().ok()) LearnSize(from->node, field("src_offset") + field("src_length"), false);
    copy.length = space_.Get(from->node).size;
    copy.offset = field("src_offset");
    copy.to_offset = field("dest_offset");
    copy.length -= std::min(copy.length, copy.offset);
    if (field("src_length") != 0) copy.length = std::min(copy.length, field("src_length"));
  } else {
    copy.length = space_.Get(from->node).size;
  }
  if (!Agree(call, &copy, 0)) return;
  Node& written = space_.Get(to->node);
  if (request == FICLONE && !space_.Get(from->node).is_size_sure && written.size == 0) {
    // Its size tells that of the other one.
    written.is_size_sure = false;
    clones_[to->node] = from->node;
  }
  written.size = std::max(written.size, copy.to_offset + copy.length);
  written.NoteWrite(copy.to_offset + copy.length);
  Emit(&copy);
}

// One request: `{aio_data=0, aio_lio_opcode=IOCB_CMD_PWRITEV, aio_fildes=3, aio_buf=[{iov_base="x", iov_len=1}], ...}`.
void Interpreter::SubmitOne(Call& call, std::string_view request) {
  const std::string_view command = FindField(request, "aio_lio_opcode");
  const bool is_read = command.find("PREAD") != std::string_view::npos;
  const bool is_write = command.find("PWRITE") != std::string_view::npos;
  const bool is_data_sync = command.find("FDSYNC") != std::string_view::npos;
  if (command.empty()) return Skip("io_submit: a request that is not printed");
  if (!is_read && !is_write && !is_data_sync && command.find("FSYNC") == std::string_view::npos) return;
  const DescriptionPointer file = KnownFileOf(call, FindField(request, "aio_fildes"));
  if (file == nullptr) return;
  if (!is_read && !is_write) {
    Operation sync = Start(call, OperationKind::kFsync, OfFile(file));
    if (is_data_sync) sync.variant = Variant::kData;
    ++counts_.used;
    return Emit(&sync);
  }
  const std::string_view bytes = FindField(request, "aio_nbytes");
  const std::optional<uint64_t> length = bytes.empty() ? LengthOfVector(FindField(request, "aio_buf"))
                                                       : static_cast<uint64_t>(ParseNumber(bytes).value_or(0));
  if (!length.has_value()) return Skip("io_submit: a request that is not printed");
  const auto offset = static_cast<uint64_t>(ParseNumber(FindField(request, "aio_offset")).value_or(0));
  const uint64_t flags = ParseFlags(FindField(request, "aio_rw_flags")).value_or(0);
  const uint64_t size = space_.Get(file->node).size;
  if (is_read) {
    ReadFrom(call, file, offset, *length, size > offset ? std::min(*length, size - offset) : 0);
  } else {
    WriteTo(call, file, (flags & RWF_APPEND) != 0 ? size : offset, *length, flags);
  }
}

// The requests are done when they are submitted; what io_getevents says comes later, but is the same. strace prints the
// first ones only.
void Interpreter::Submit(Call& call) {
  std::optional<std::vector<std::string_view>> requests = ParseArray(call.Argument(2));
  if (!call.result().ok() || !requests.has_value()) return Skip("io_submit: what was submitted is not known");
  if (!requests->empty() && requests->back() == "...") requests->pop_back();
  const auto submitted = static_cast<size_t>(call.result().value);
  for (size_t i = 0; i < std::min(requests->size(), submitted); ++i) SubmitOne(call, (*requests)[i]);
  if (submitted > requests->size()) {
    counts_.skipped["io_submit: a request that is not printed"] += submitted - requests->size();
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
