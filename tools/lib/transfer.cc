// SPDX-License-Identifier: Apache-2.0
#include "transfer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/status.h"
#include "betr/fs_error.h"
#include "fs/tar_copy.h"
#include "progress.h"

namespace betr::tools {
namespace {

// An archive on the host, or the stream that "-" stands for.
class ArchiveFile {
 public:
  enum class Use { kRead, kWrite };

  ArchiveFile(const ToolIo& io, const std::string& path, Use use) : path_(path), is_stream_(path == "-") {
    if (is_stream_) {
      descriptor_ = use == Use::kRead ? io.in_descriptor : io.out_descriptor;
      return;
    }
    const int flags = use == Use::kRead ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    descriptor_ = open(path.c_str(), flags | O_CLOEXEC, 0666);
    error_ = errno;
  }
  ~ArchiveFile() { Close().IgnoreError(); }
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;

  absl::Status status() const { return descriptor_ >= 0 ? absl::OkStatus() : ErrnoError(error_, path_); }
  int descriptor() const { return descriptor_; }

  // Tells of writes that failed late.
  absl::Status Close() {
    if (is_stream_ || descriptor_ < 0) return absl::OkStatus();
    return close(std::exchange(descriptor_, -1)) == 0 ? absl::OkStatus() : ErrnoError(errno, path_);
  }

 private:
  const std::string path_;
  const bool is_stream_;
  int descriptor_ = -1;
  int error_ = EBADF;
};

fs::CopyOptions ToCopyOptions(const TransferOptions& options, Progress* progress) {
  fs::CopyOptions copy;
  copy.all_attributes = options.all_attributes;
  copy.all_root = options.all_root;
  copy.uid = geteuid();
  copy.gid = getegid();
  copy.latest_time = options.latest_time;
  copy.progress = [progress](const fs::CopyTotals& totals, std::string_view path) {
    progress->Update(totals.files, totals.bytes, path);
    return absl::OkStatus();
  };
  return copy;
}

}  // namespace

absl::StatusOr<TransferCounts> ImportTree(const Tool& tool, FileSystem* fs, const std::string& host,
                                          const std::string& inside, const TransferOptions& options) {
  Progress progress(tool, "files");
  return fs::ImportTree(fs, host, inside, ToCopyOptions(options, &progress));
}

absl::StatusOr<TransferCounts> ExportTree(const Tool& tool, FileSystem* fs, const std::string& inside,
                                          const std::string& host, const TransferOptions& options) {
  Progress progress(tool, "files");
  return fs::ExportTree(fs, inside, host, ToCopyOptions(options, &progress));
}

absl::StatusOr<TransferCounts> ImportTar(const Tool& tool, FileSystem* fs, const std::string& archive,
                                         const std::string& inside, const TransferOptions& options) {
  const ArchiveFile file(tool.io(), archive, ArchiveFile::Use::kRead);
  if (!file.status().ok()) return file.status();
  Progress progress(tool, "files");
  absl::StatusOr<TransferCounts> counts =
      fs::ImportTar(fs, file.descriptor(), inside, ToCopyOptions(options, &progress));
  if (!counts.ok()) return Annotate(counts.status(), archive == "-" ? "stdin" : archive);
  return counts;
}

absl::StatusOr<TransferCounts> ExportTar(const Tool& tool, FileSystem* fs, const std::string& inside,
                                         const std::string& archive, const TransferOptions& options) {
  ArchiveFile file(tool.io(), archive, ArchiveFile::Use::kWrite);
  if (!file.status().ok()) return file.status();
  Progress progress(tool, "files");
  absl::StatusOr<TransferCounts> counts =
      fs::ExportTar(fs, inside, file.descriptor(), ToCopyOptions(options, &progress));
  if (absl::Status closed = file.Close(); counts.ok() && !closed.ok()) return closed;
  return counts;
}

}  // namespace betr::tools
