// SPDX-License-Identifier: Apache-2.0
// Keeping. Putting back: undo_apply.cc.
#include "device/undo_file.h"

#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/checksum.h"
#include "base/coding.h"
#include "base/status.h"
#include "device/device_error.h"
#include "device/sync_directory.h"
#include "device/undo_format.h"

namespace betr {

namespace {

constexpr const char* kDescriptors = "/proc/self/fd";

struct NewFile {
  int file;
  std::string meanwhile;  // its name until it gets the one that it is to have; empty if it has none
};

// A file that is not at `path` yet: whoever finds one there finds a whole beginning in it.
absl::StatusOr<NewFile> MakeBeside(const std::string& path) {
  constexpr mode_t kPrivate = 0600;
  std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (directory.empty()) directory = ".";
  const bool can_be_named = access(kDescriptors, X_OK) == 0;
  const int file = can_be_named ? open(directory.c_str(), O_WRONLY | O_TMPFILE | O_APPEND | O_CLOEXEC, kPrivate) : -1;
  if (file >= 0) return NewFile{file, ""};
  // Not every file system has files without a name.
  std::string name = path + ".XXXXXX";
  const int named = mkostemp(name.data(), O_APPEND | O_CLOEXEC);
  if (named < 0) return DeviceError(path, "make", errno);
  return NewFile{named, std::move(name)};
}

// Nor does every one rename without replacing.
bool Rename(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return link(from.c_str(), to.c_str()) == 0 && unlink(from.c_str()) == 0;
}

absl::Status GiveName(const NewFile& made, const std::string& path) {
  const std::string descriptor = absl::StrFormat("%s/%d", kDescriptors, made.file);
  const bool is_named = made.meanwhile.empty()
                            ? linkat(AT_FDCWD, descriptor.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0
                            : Rename(made.meanwhile, path);
  return is_named ? absl::OkStatus() : DeviceError(path, "make", errno);
}

bool IsFlushed(int (*flush)(int), int file) {
  int result = 0;
  do {
    result = flush(file);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<UndoDevice>> UndoDevice::Create(BlockDevice& inner, const std::string& path,
                                                               std::span<const Bytes> marks) {
  BETR_ASSIGN_OR_RETURN(const NewFile made, MakeBeside(path));
  std::unique_ptr<UndoDevice> device(new UndoDevice(inner, path, made.file));
  absl::Status status = device->Begin(marks);
  if (status.ok()) status = GiveName(made, path);
  if (!status.ok()) {
    if (!made.meanwhile.empty()) unlink(made.meanwhile.c_str());
    return status;
  }
  status = SyncDirectoryOf(path);
  if (!status.ok()) {
    unlink(path.c_str());  // nothing was overwritten: it would only be in the way of the next try
    return status;
  }
  return device;
}

UndoDevice::~UndoDevice() { close(file_); }

absl::Status UndoDevice::Begin(std::span<const Bytes> marks) {
  std::string begin = undo::MakeHeader(inner().Size());
  const MutexLock lock(mutex_);
  for (const Bytes mark : marks) {
    std::string block(kBlockSize.value, '\0');
    BETR_RETURN_IF_ERROR(inner().Read(mark, block));
    BETR_ASSIGN_OR_RETURN(const std::string record, Record(mark, block));
    begin += record;
  }
  BETR_RETURN_IF_ERROR(Append(begin));
  return IsFlushed(fsync, file_) ? absl::OkStatus() : DeviceError(path_, "flush", errno);
}

absl::StatusOr<std::string> UndoDevice::Record(Bytes offset, std::string_view next) {
  const bool is_new = kept_.insert(offset.value / kBlockSize.value).second;
  std::string record(is_new ? undo::kFullSize : undo::kHeadSize, '\0');
  if (is_new) {
    BETR_RETURN_IF_ERROR(inner().Read(offset, std::span(record).subspan(undo::kHeadSize)));
  }
  StoreFixed(record.data() + undo::kOffsetAt, offset.value);
  StoreFixed(record.data() + undo::kIsFullAt, uint64_t{is_new ? 1U : 0U});
  const undo::Sums sums = undo::SumsOf(next);
  for (size_t i = 0; i < sums.size(); ++i) {
    StoreFixed(record.data() + undo::kSumsAt + i * sizeof(uint64_t), sums[i]);
  }
  StoreFixed(record.data(), Checksum(std::string_view(record).substr(undo::kOffsetAt)));
  return record;
}

absl::Status UndoDevice::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return DeviceError(path_, "write", errno);
    }
    bytes.remove_prefix(count > 0 ? static_cast<size_t>(count) : 0);
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
  return IsFlushed(fdatasync, file_) ? absl::OkStatus() : DeviceError(path_, "flush", errno);
}

absl::Status UndoDevice::Write(Bytes offset, std::string_view data) {
  BETR_RETURN_IF_ERROR(CheckBlockRange(*this, "write", offset, Bytes{data.size()}));
  const MutexLock lock(mutex_);
  if (error_.ok()) {
    error_ = Keep(offset, data);
  }
  BETR_RETURN_IF_ERROR(error_);
  return inner().Write(offset, data);
}

absl::Status UndoDevice::Discard(Bytes offset, Bytes length) {
  return CheckBlockRange(*this, "discard", offset, length);
}

}  // namespace betr
