// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <utility>

#include "base/status.h"
#include "device/device_error.h"

namespace betr::replay {
namespace {

constexpr size_t kReadSize = size_t{256} << 10;

}  // namespace

class LineFile::Decompressor {
 public:
  Decompressor() : stream_(ZSTD_createDStream()) {}
  ~Decompressor() { ZSTD_freeDStream(stream_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Whether everything is decompressed that it was given.
  bool IsDone() const { return input_.pos == input_.size && !has_more_; }

  // Gives it the next part of the data. Requires: IsDone().
  void Give(std::string stored) {
    stored_ = std::move(stored);
    input_ = {stored_.data(), stored_.size(), 0};
  }

  // Appends some of what the data decompresses to. There is no limit to how much it is in all, and to how little data
  // that takes. Requires: !IsDone().
  absl::Status Add(const std::string& path, std::string* out) {
    const size_t before = out->size();
    out->resize(before + ZSTD_DStreamOutSize());
    ZSTD_outBuffer output{out->data() + before, out->size() - before, 0};
    rest_ = ZSTD_decompressStream(stream_, &output, &input_);
    out->resize(before + output.pos);
    if (ZSTD_isError(rest_) != 0) {
      return absl::InvalidArgumentError(fmt::format("{}: zstd: {}", path, ZSTD_getErrorName(rest_)));
    }
    has_more_ = output.pos == output.size && rest_ != 0;
    return absl::OkStatus();
  }

  // Whether a frame is open.
  bool IsIncomplete() const { return rest_ != 0; }

 private:
  ZSTD_DStream* stream_;
  std::string stored_;
  ZSTD_inBuffer input_{};
  size_t rest_ = 0;
  bool has_more_ = false;  // of the frame, although all data was taken
};

LineFile::LineFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {
  struct stat status {};
  if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) size_ = Bytes{static_cast<uint64_t>(status.st_size)};
}

LineFile::~LineFile() {
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

absl::StatusOr<std::unique_ptr<LineFile>> LineFile::Open(const std::string& path) {
  const int descriptor = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return DeviceError(path, "open", errno);
  return std::unique_ptr<LineFile>(new LineFile(path, descriptor));
}

absl::StatusOr<std::string> LineFile::ReadSome() {
  std::string stored(kReadSize, '\0');
  ssize_t count = 0;
  do {
    count = read(descriptor_, stored.data(), stored.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return DeviceError(path_, "read", errno);
  stored.resize(static_cast<size_t>(count));
  read_ += Bytes{stored.size()};
  return stored;
}

absl::Status LineFile::Fill() {
  buffer_.erase(0, position_);
  position_ = 0;
  if (decompressor_ != nullptr && !decompressor_->IsDone()) return decompressor_->Add(path_, &buffer_);
  BETR_ASSIGN_OR_RETURN(std::string stored, ReadSome());
  if (stored.empty()) {
    is_at_end_ = true;
    if (decompressor_ != nullptr && decompressor_->IsIncomplete()) {
      return absl::InvalidArgumentError(fmt::format("{}: zstd: the file is cut", path_));
    }
    return absl::OkStatus();
  }
  if (!has_begun_ && stored.starts_with(kZstdMagic)) decompressor_ = std::make_unique<Decompressor>();
  has_begun_ = true;
  if (decompressor_ == nullptr) {
    buffer_ += stored;
  } else {
    decompressor_->Give(std::move(stored));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> LineFile::Next() {
  std::string begin;  // of a line that does not fit into the buffer
  for (size_t searched = 0;;) {
    const size_t end = buffer_.find('\n', position_ + searched);
    if (end != std::string::npos) {
      std::string line = begin + buffer_.substr(position_, end - position_);
      position_ = end + 1;
      ++lines_;
      return line;
    }
    searched = buffer_.size() - position_;
    if (searched + begin.size() > kLongestLine.value) {
      if (begin.empty()) begin = buffer_.substr(position_, kLongestLine.value);
      position_ = buffer_.size();
      searched = 0;
    }
    if (is_at_end_) {
      if (searched == 0 && begin.empty()) return std::nullopt;
      std::string line = begin.empty() ? buffer_.substr(position_) : begin;
      position_ = buffer_.size();
      is_cut_ = true;
      ++lines_;
      return line;
    }
    BETR_RETURN_IF_ERROR(Fill());
  }
}

}  // namespace betr::replay
