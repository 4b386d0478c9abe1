// SPDX-License-Identifier: Apache-2.0
// Puts back what an undo file keeps.
#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "device/device_error.h"
#include "device/undo_file.h"
#include "device/undo_format.h"

namespace betr {
namespace {

using undo::Sums;

class Reader {
 public:
  static absl::StatusOr<Reader> Open(const std::string& path) {
    // With O_NONBLOCK, since opening a fifo would wait for a writer.
    Reader reader(path, ScopedFd(OpenRetrying(path, O_RDONLY | O_NONBLOCK)));
    if (reader.file_.get() < 0) return DeviceError(path, "open", errno);
    struct stat info {};
    if (fstat(reader.file_.get(), &info) != 0) return DeviceError(path, "stat", errno);
    if (!S_ISREG(info.st_mode)) {
      return absl::InvalidArgumentError(path + ": not an undo file of betr: not a regular file");
    }
    reader.size_ = static_cast<uint64_t>(info.st_size);
    return reader;
  }

  // Returns what was read, which is less than `out` only at the end of the file.
  absl::StatusOr<std::string_view> Read(uint64_t offset, std::span<char> out) {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t count = pread(file_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (count < 0 && errno != EINTR) return DeviceError(path_, "read", errno);
      if (count == 0) break;
      done += count > 0 ? static_cast<size_t>(count) : 0;
    }
    return std::string_view(out.data(), done);
  }

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }

 private:
  Reader(std::string path, ScopedFd file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  ScopedFd file_;
  uint64_t size_ = 0;
};

struct Record {
  Bytes offset;
  Sums sums;
  std::string block;  // what was there; empty if an earlier record has it
};

class UndoFile {
 public:
  UndoFile(Reader& file, BlockDevice& device) : file_(file), device_(device) {}

  absl::Status CheckHeader();
  // Reads the whole file, and learns which blocks were written more than once.
  absl::Status Look();
  // Requires: Look.
  absl::Status CompareWithDevice();
  // Requires: Look.
  absl::StatusOr<Undone> PutBack();

 private:
  // Calls `visit` with each record up to the end. Returns whether a part of another one follows.
  template <class Visit>
  absl::StatusOr<bool> ForEachRecord(const Visit& visit);
  // Returns nothing if no sound record begins there.
  absl::StatusOr<std::optional<Record>> RecordAt(uint64_t at);
  // Returns the size of the sound record that `bytes` begin with, or 0.
  size_t SizeOfRecord(std::string_view bytes) const;
  // Checks that the records may end with the one of this number, which is not sound.
  absl::Status CheckEnd(uint64_t at, uint64_t number);
  absl::StatusOr<bool> HasRecordFrom(uint64_t offset);
  // Whether the block may be what the file's writes have left.
  bool Fits(const Record& record, std::string_view found) const;

  Reader& file_;
  BlockDevice& device_;
  std::optional<uint64_t> end_;                                 // of the sound records, once it is known
  absl::flat_hash_map<uint64_t, std::vector<Sums>> rewritten_;  // by offset; of all writes but the first
};

absl::Status UndoFile::CheckHeader() {
  std::string header(kBlockSize.value, '\0');
  BETR_ASSIGN_OR_RETURN(const std::string_view there, file_.Read(0, header));
  if (there.size() < header.size() || !header.starts_with(undo::kMagic)) {
    return absl::InvalidArgumentError(file_.path() + ": not an undo file of betr");
  }
  if (LoadFixed<uint64_t>(header.data() + undo::kMagic.size()) !=
      Checksum(std::string_view(header).substr(undo::kSealed))) {
    return absl::DataLossError(file_.path() + ": the header of the undo file is damaged");
  }
  if (const auto version = LoadFixed<uint64_t>(header.data() + undo::kVersionAt); version != undo::kVersion) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: an undo file of version %u, this program reads %u",
                                                      file_.path(), version, undo::kVersion));
  }
  if (header != undo::MakeHeader(device_.Size())) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: made for a device of %u bytes, %s has %u", file_.path(),
                                                      LoadFixed<uint64_t>(header.data() + undo::kSizeAt),
                                                      device_.Name(), device_.Size().value));
  }
  return absl::OkStatus();
}

size_t UndoFile::SizeOfRecord(std::string_view bytes) const {
  if (bytes.size() < undo::kHeadSize) return 0;
  const auto offset = LoadFixed<uint64_t>(bytes.data() + undo::kOffsetAt);
  const auto is_full = LoadFixed<uint64_t>(bytes.data() + undo::kIsFullAt);
  const size_t size = is_full == 0 ? undo::kHeadSize : undo::kFullSize;
  const bool is_possible = is_full <= 1 && offset % kBlockSize.value == 0 && Bytes{offset} < device_.Size();
  if (!is_possible || bytes.size() < size) return 0;
  const std::string_view sealed = bytes.substr(undo::kOffsetAt, size - undo::kOffsetAt);
  return LoadFixed<uint64_t>(bytes.data()) == Checksum(sealed) ? size : 0;
}

absl::StatusOr<std::optional<Record>> UndoFile::RecordAt(uint64_t at) {
  std::string buffer(undo::kFullSize, '\0');
  BETR_ASSIGN_OR_RETURN(const std::string_view bytes, file_.Read(at, buffer));
  const size_t size = SizeOfRecord(bytes);
  if (size == 0) return std::nullopt;
  Record record{Bytes{LoadFixed<uint64_t>(bytes.data() + undo::kOffsetAt)}, {}, {}};
  for (size_t i = 0; i < record.sums.size(); ++i) {
    record.sums[i] = LoadFixed<uint64_t>(bytes.data() + undo::kSumsAt + i * sizeof(uint64_t));
  }
  record.block = bytes.substr(undo::kHeadSize, size - undo::kHeadSize);
  return record;
}

absl::StatusOr<bool> UndoFile::HasRecordFrom(uint64_t offset) {
  constexpr size_t kWindow = MiB(1).value;
  std::string buffer(kWindow + undo::kFullSize, '\0');
  for (uint64_t at = offset;; at += kWindow) {
    BETR_ASSIGN_OR_RETURN(const std::string_view bytes, file_.Read(at, buffer));
    for (size_t i = 0; i < std::min(kWindow, bytes.size()); i += undo::kAlignment) {
      if (SizeOfRecord(bytes.substr(i)) > 0) return true;
    }
    if (bytes.size() <= kWindow) return false;
  }
}

absl::Status UndoFile::CheckEnd(uint64_t at, uint64_t number) {
  if (!end_.has_value()) {
    BETR_ASSIGN_OR_RETURN(const bool is_followed, HasRecordFrom(at + undo::kHeadSize));
    if (!is_followed) end_ = at;
  }
  return end_ == at ? absl::OkStatus()
                    : absl::DataLossError(absl::StrFormat("%s: record %u is damaged", file_.path(), number));
}

template <class Visit>
absl::StatusOr<bool> UndoFile::ForEachRecord(const Visit& visit) {
  uint64_t at = kBlockSize.value;
  for (uint64_t number = 0;; ++number) {
    BETR_ASSIGN_OR_RETURN(const std::optional<Record> record, RecordAt(at));
    if (!record) {
      BETR_RETURN_IF_ERROR(CheckEnd(at, number));
      return at < file_.size();
    }
    BETR_RETURN_IF_ERROR(visit(*record));
    at += undo::kHeadSize + record->block.size();
  }
}

absl::Status UndoFile::Look() {
  const auto learn = [&](const Record& record) {
    if (record.block.empty()) rewritten_[record.offset.value].push_back(record.sums);
    return absl::OkStatus();
  };
  return ForEachRecord(learn).status();
}

bool UndoFile::Fits(const Record& record, std::string_view found) const {
  const auto again = rewritten_.find(record.offset.value);
  const Sums sums = undo::SumsOf(found);
  for (size_t i = 0; i < sums.size(); ++i) {
    const bool was_there = undo::Sector(record.block, i) == undo::Sector(found, i);
    const bool was_put =
        sums[i] == record.sums[i] ||
        (again != rewritten_.end() && std::any_of(again->second.begin(), again->second.end(),
                                                  [&](const Sums& other) { return sums[i] == other[i]; }));
    if (!was_there && !was_put) return false;
  }
  return true;
}

absl::Status UndoFile::CompareWithDevice() {
  std::string found(kBlockSize.value, '\0');
  const auto compare = [&](const Record& record) -> absl::Status {
    if (record.block.empty()) return absl::OkStatus();
    BETR_RETURN_IF_ERROR(device_.Read(record.offset, found));
    return Fits(record, found) ? absl::OkStatus()
                               : absl::FailedPreconditionError(absl::StrFormat(
                                     "%s: does not fit: block %u of %s is that of another image, or was changed "
                                     "afterwards; with -f all is put back nevertheless",
                                     file_.path(), record.offset.value / kBlockSize.value, device_.Name()));
  };
  return ForEachRecord(compare).status();
}

absl::StatusOr<Undone> UndoFile::PutBack() {
  Undone undone;
  std::string found(kBlockSize.value, '\0');
  const auto put_back = [&](const Record& record) -> absl::Status {
    if (record.block.empty()) return absl::OkStatus();
    // A block that cannot be read may still be writable.
    if (device_.Read(record.offset, found).ok() && found == record.block) return absl::OkStatus();
    ++undone.blocks;
    return device_.Write(record.offset, record.block);
  };
  BETR_ASSIGN_OR_RETURN(undone.is_cut_short, ForEachRecord(put_back));
  BETR_RETURN_IF_ERROR(device_.Flush());
  return undone;
}

}  // namespace

absl::StatusOr<Undone> ApplyUndoFile(const std::string& path, BlockDevice& device, UndoFit fit) {
  BETR_ASSIGN_OR_RETURN(Reader reader, Reader::Open(path));
  UndoFile file(reader, device);
  BETR_RETURN_IF_ERROR(file.CheckHeader());
  BETR_RETURN_IF_ERROR(file.Look());
  if (fit == UndoFit::kDemand) BETR_RETURN_IF_ERROR(file.CompareWithDevice());
  return file.PutBack();
}

}  // namespace betr
