// SPDX-License-Identifier: Apache-2.0
#include "device/undo_file.h"

#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/checksum.h"
#include "base/coding.h"
#include "base/status.h"
#include "device/device_error.h"

namespace betr {
namespace {

constexpr std::string_view kMagic = "betrUNDO";
constexpr size_t kSealed = 16;  // the header's checksum covers what follows
constexpr size_t kRecordHead = 24;
constexpr size_t kRecordSize = kRecordHead + kBlockSize.value;

std::string MakeHeader(Bytes device_size) {
  std::string header(kBlockSize.value, '\0');
  header.replace(0, kMagic.size(), kMagic);
  StoreFixed(header.data() + kSealed, device_size.value);
  StoreFixed(header.data() + kMagic.size(), Checksum(std::string_view(header).substr(kSealed)));
  return header;
}

// A file that is read from its front.
class Reader {
 public:
  static absl::StatusOr<Reader> Open(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      return DeviceError(path, "open", errno);
    }
    return Reader(path, file);
  }
  Reader(Reader&& other) noexcept : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  Reader& operator=(Reader&&) = delete;
  ~Reader() {
    if (file_ >= 0) {
      close(file_);
    }
  }

  // Up to so many bytes; fewer at the end of the file.
  absl::StatusOr<std::string> Read(size_t size) {
    std::string bytes(size, '\0');
    size_t done = 0;
    while (done < size) {
      const ssize_t count = read(file_, bytes.data() + done, size - done);
      if (count < 0 && errno != EINTR) {
        return DeviceError(path_, "read", errno);
      }
      if (count == 0) {
        break;
      }
      done += count > 0 ? static_cast<size_t>(count) : 0;
    }
    bytes.resize(done);
    return bytes;
  }

  absl::Status Rewind(uint64_t offset) {
    return lseek(file_, static_cast<off_t>(offset), SEEK_SET) < 0 ? DeviceError(path_, "seek", errno)
                                                                  : absl::OkStatus();
  }

 private:
  Reader(std::string path, int file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  int file_;
};

absl::Status CheckRecord(const std::string& path, std::string_view record, uint64_t number, Bytes device_size) {
  const auto offset = LoadFixed<uint64_t>(record.data() + 8);
  const bool is_sound = LoadFixed<uint64_t>(record.data()) == Checksum(record.substr(8)) &&
                        offset % kBlockSize.value == 0 && Bytes{offset} < device_size;
  return is_sound ? absl::OkStatus() : absl::DataLossError(absl::StrFormat("%s: record %u is damaged", path, number));
}

// Calls `visit` with each whole record.
template <class Visit>
absl::StatusOr<Undone> ForEachRecord(const std::string& path, Reader& file, Bytes device_size, const Visit& visit) {
  Undone undone;
  BETR_RETURN_IF_ERROR(file.Rewind(kBlockSize.value));
  while (true) {
    BETR_ASSIGN_OR_RETURN(const std::string record, file.Read(kRecordSize));
    if (record.size() < kRecordSize) {
      undone.is_cut_short = !record.empty();
      return undone;
    }
    BETR_RETURN_IF_ERROR(CheckRecord(path, record, undone.blocks, device_size));
    BETR_RETURN_IF_ERROR(
        visit(Bytes{LoadFixed<uint64_t>(record.data() + 8)}, std::string_view(record).substr(kRecordHead)));
    ++undone.blocks;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<UndoDevice>> UndoDevice::Create(BlockDevice& inner, const std::string& path) {
  constexpr mode_t kPrivate = 0600;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kPrivate);
  if (file < 0) {
    return DeviceError(path, "open", errno);
  }
  std::unique_ptr<UndoDevice> device(new UndoDevice(inner, path, file));
  BETR_RETURN_IF_ERROR(device->Append(MakeHeader(inner.Size())));
  if (fsync(file) != 0) {
    return DeviceError(path, "flush", errno);
  }
  return device;
}

UndoDevice::~UndoDevice() { close(file_); }

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

absl::Status UndoDevice::Keep(Bytes offset) {
  std::string record(kRecordSize, '\0');
  BETR_RETURN_IF_ERROR(inner().Read(offset, std::span(record).subspan(kRecordHead)));
  StoreFixed(record.data() + 8, offset.value);
  StoreFixed(record.data(), Checksum(std::string_view(record).substr(8)));
  return Append(record);
}

absl::Status UndoDevice::Write(Bytes offset, std::string_view data) {
  BETR_RETURN_IF_ERROR(CheckBlockRange(*this, "write", offset, Bytes{data.size()}));
  const MutexLock lock(mutex_);
  bool is_new = false;
  for (Bytes at = offset; at < offset + Bytes{data.size()}; at = at + kBlockSize) {
    if (!kept_.contains(at.value / kBlockSize.value)) {
      BETR_RETURN_IF_ERROR(Keep(at));
      kept_.insert(at.value / kBlockSize.value);
      is_new = true;
    }
  }
  if (is_new && fdatasync(file_) != 0) {
    return DeviceError(path_, "flush", errno);
  }
  return inner().Write(offset, data);
}

absl::Status UndoDevice::Discard(Bytes offset, Bytes length) {
  return CheckBlockRange(*this, "discard", offset, length);
}

absl::StatusOr<Undone> ApplyUndoFile(const std::string& path, BlockDevice& device) {
  BETR_ASSIGN_OR_RETURN(Reader file, Reader::Open(path));
  BETR_ASSIGN_OR_RETURN(const std::string header, file.Read(kBlockSize.value));
  if (header.size() < kBlockSize.value || !header.starts_with(kMagic)) {
    return absl::InvalidArgumentError(path + ": not an undo file of betr");
  }
  if (LoadFixed<uint64_t>(header.data() + kMagic.size()) != Checksum(std::string_view(header).substr(kSealed))) {
    return absl::DataLossError(path + ": the header of the undo file is damaged");
  }
  if (header != MakeHeader(device.Size())) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: made for a device of %u bytes, %s has %u", path,
                                                      LoadFixed<uint64_t>(header.data() + kSealed), device.Name(),
                                                      device.Size().value));
  }
  const auto look = [](Bytes, std::string_view) { return absl::OkStatus(); };
  BETR_RETURN_IF_ERROR(ForEachRecord(path, file, device.Size(), look).status());
  const auto put_back = [&](Bytes offset, std::string_view block) { return device.Write(offset, block); };
  BETR_ASSIGN_OR_RETURN(const Undone undone, ForEachRecord(path, file, device.Size(), put_back));
  BETR_RETURN_IF_ERROR(device.Flush());
  return undone;
}

}  // namespace betr
