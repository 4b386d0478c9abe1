// SPDX-License-Identifier: Apache-2.0
// Keeps what is overwritten. undo_apply.cc puts it back.
#include "device/undo_file.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/checksum.h"
#include "base/coding.h"
#include "base/scoped_fd.h"
#include "base/status.h"
#include "device/device_error.h"
#include "device/undo_format.h"

namespace betr {

namespace {

constexpr mode_t kPrivate = 0600;  // the file has contents of the device

bool IsFlushed(int file) {
  return Retrying([&] { return fdatasync(file); }) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<UndoDevice>> UndoDevice::Create(BlockDevice& inner, const std::string& path,
                                                               std::span<const Bytes> marks) {
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<UnseenFile> file, UnseenFile::Make(path, kPrivate));
  std::unique_ptr<UndoDevice> device(new UndoDevice(inner, std::move(file)));
  BETR_RETURN_IF_ERROR(device->Begin(marks));
  BETR_RETURN_IF_ERROR(device->file_->Appear());
  return device;
}

absl::Status UndoDevice::Begin(std::span<const Bytes> marks) {
  std::string begin = undo::MakeHeader(inner().Size());
  const MutexLock lock(mutex_);
  for (const Bytes mark : marks) {
    std::string block(kBlockSize.value, '\0');
    BETR_RETURN_IF_ERROR(inner().Read(mark, block));
    BETR_ASSIGN_OR_RETURN(const std::string record, Record(mark, block));
    begin += record;
  }
  return Append(begin);
}

absl::StatusOr<std::string> UndoDevice::Record(Bytes offset, std::string_view next) {
  const bool is_new = kept_.insert(offset.value / kBlockSize.value).second;
  std::string record(is_new ? undo::kFullSize : undo::kHeadSize, '\0');
  if (is_new) BETR_RETURN_IF_ERROR(inner().Read(offset, std::span(record).subspan(undo::kHeadSize)));
  StoreFixed(record.data() + undo::kOffsetAt, offset.value);
  StoreFixed(record.data() + undo::kIsFullAt, uint64_t{is_new ? 1U : 0U});
  const undo::Sums sums = undo::SumsOf(next);
  for (size_t i = 0; i < sums.size(); ++i) StoreFixed(record.data() + undo::kSumsAt + i * sizeof(uint64_t), sums[i]);
  StoreFixed(record.data(), Checksum(std::string_view(record).substr(undo::kOffsetAt)));
  return record;
}

absl::Status UndoDevice::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = Retrying([&] { return write(file_->fd(), bytes.data(), bytes.size()); });
    if (count <= 0) return DeviceError(file_->path(), "write", count < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status UndoDevice::Keep(Bytes offset, std::string_view data) {
  std::string records;
  for (size_t at = 0; at < data.size(); at += kBlockSize.value) {
    BETR_ASSIGN_OR_RETURN(const std::string record, Record(offset + Bytes{at}, data.substr(at, kBlockSize.value)));
    records += record;
  }
  BETR_RETURN_IF_ERROR(Append(records));
  return IsFlushed(file_->fd()) ? absl::OkStatus() : DeviceError(file_->path(), "flush", errno);
}

absl::Status UndoDevice::Write(Bytes offset, std::string_view data) {
  BETR_RETURN_IF_ERROR(CheckBlockRange(*this, "write", offset, Bytes{data.size()}));
  const MutexLock lock(mutex_);
  if (error_.ok()) error_ = Keep(offset, data);
  BETR_RETURN_IF_ERROR(error_);
  return inner().Write(offset, data);
}

absl::Status UndoDevice::Discard(Bytes offset, Bytes length) {
  return CheckBlockRange(*this, "discard", offset, length);
}

}  // namespace betr
