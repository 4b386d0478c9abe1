// SPDX-License-Identifier: Apache-2.0
#include "transfer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "betr/fs_error.h"
#include "betr/path_filesystem.h"
#include "device/loop_backing.h"
#include "fs/tar/tar_copy.h"
#include "fs/transfer/host_file.h"
#include "open_inside.h"
#include "own_image.h"

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

  // Reports writes that failed late.
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

// Returns the file that a path leads to or, for a loop device, the file behind it. Nothing if there is none.
std::optional<fs::HostFileId> FileAt(const std::string& path) {
  struct stat attributes {};
  if (stat(FileBehind(path).c_str(), &attributes) != 0) return std::nullopt;
  return fs::IdOf(attributes);
}

// Returns what tells how much of a regular file has been read, by the descriptor's position. Null for pipes.
std::function<double()> FractionRead(int descriptor) {
  struct stat attributes {};
  const off_t begin = lseek(descriptor, 0, SEEK_CUR);
  if (begin < 0 || fstat(descriptor, &attributes) != 0 || !S_ISREG(attributes.st_mode)) return nullptr;
  const auto all = static_cast<double>(attributes.st_size - begin);
  return [descriptor, begin, all] {
    const auto read = static_cast<double>(lseek(descriptor, 0, SEEK_CUR) - begin);
    return all > 0 && read > 0 ? read / all : 0.0;
  };
}

}  // namespace

Transfer::Transfer(const Tool& tool, FileSystem* fs, const std::string& image, const fs::CopyOptions& options)
    : io_(tool.io()), fs_(fs), image_(image), options_(options), progress_(tool, "files") {
  options_.uid = geteuid();
  options_.gid = getegid();
  options_.image = FileAt(image);
  options_.progress = [this](const fs::CopyTotals& totals, std::string_view path) {
    progress_.Update(counts_.files + totals.files, counts_.bytes + totals.bytes, path);
    return absl::OkStatus();
  };
  ClearBefore(&options_.gone_without);
  ClearBefore(&options_.left_out);
  ClearBefore(&options_.removed);
  ClearBefore(&options_.written);
}

template <class... Arguments>
void Transfer::ClearBefore(std::function<void(Arguments...)>* callback) {
  if (!*callback) return;
  *callback = [this, tell = std::move(*callback)](Arguments... arguments) {
    progress_.Clear();
    tell(arguments...);
  };
}

void Transfer::ExpectFromHost(const std::vector<std::string>& paths) {
  if (!progress_.IsShown()) return;
  Bytes total{0};
  for (const std::string& path : paths) {
    struct stat attributes {};
    // What is in a directory is not known before it has been walked, and then most of the work is done.
    if (lstat(path.c_str(), &attributes) != 0 || S_ISDIR(attributes.st_mode)) return;
    if (S_ISREG(attributes.st_mode)) total += Bytes{static_cast<uint64_t>(attributes.st_size)};
  }
  progress_.SetTotal(0, total);
}

void Transfer::ExpectFromInside(const std::vector<std::string>& paths) {
  if (!progress_.IsShown()) return;
  Bytes total{0};
  for (const std::string& path : paths) {
    const absl::StatusOr<Bytes> bytes = fs::EstimateTree(fs_, path);
    if (!bytes.ok()) return;
    total += *bytes;
  }
  progress_.SetTotal(0, total);
}

absl::Status Transfer::ImportTrees(const std::vector<fs::CopyPair>& trees) {
  return Add(fs::ImportTrees(fs_, trees, options_));
}

absl::Status Transfer::ExportTrees(const std::vector<fs::CopyPair>& trees) {
  return Add(fs::ExportTrees(fs_, trees, options_));
}

absl::Status Transfer::ImportTar(const std::string& archive, const std::string& inside) {
  BETR_RETURN_IF_ERROR(CheckIsNotImage(archive, io_.in_descriptor, image_));
  const ArchiveFile file(io_, archive, ArchiveFile::Use::kRead);
  if (!file.status().ok()) return file.status();
  progress_.SetFraction(FractionRead(file.descriptor()));
  const std::string name = archive == "-" ? "stdin" : archive;
  fs::CopyOptions options = options_;
  if (options.gone_without) {
    options.gone_without = [name, tell = std::move(options.gone_without)](const absl::Status& status) {
      tell(Annotate(status, name));
    };
  }
  absl::Status status = Add(fs::ImportTar(fs_, file.descriptor(), inside, options));
  progress_.SetFraction(nullptr);
  return Annotate(status, name);
}

absl::Status Transfer::ExportTar(const std::string& inside, const std::string& archive) {
  return WriteArchive({inside}, archive,
                      [&](int descriptor) { return fs::ExportTar(fs_, inside, descriptor, options_); });
}

absl::Status Transfer::ExportLayer(const std::string& base, const std::string& inside, const std::string& archive) {
  // With a slash, which only directories may have.
  return WriteArchive({base + "/", inside + "/"}, archive,
                      [&](int descriptor) { return fs::ExportLayer(fs_, base, inside, descriptor, options_); });
}

absl::Status Transfer::WriteArchive(const std::vector<std::string>& sources, const std::string& archive,
                                    absl::FunctionRef<absl::StatusOr<fs::CopyTotals>(int descriptor)> write) {
  // Checks the sources first, since an archive that is there is lost once it is opened.
  PathFileSystem paths(fs_);
  for (const std::string& source : sources) BETR_RETURN_IF_ERROR(OpenInside(paths, source).status());
  BETR_RETURN_IF_ERROR(CheckIsNotImage(archive, io_.out_descriptor, image_));
  ArchiveFile file(io_, archive, ArchiveFile::Use::kWrite);
  if (!file.status().ok()) return file.status();
  absl::Status status = Add(write(file.descriptor()));
  absl::Status closed = file.Close();
  return status.ok() ? closed : status;
}

absl::Status Transfer::Add(const absl::StatusOr<fs::CopyTotals>& counts) {
  if (counts.ok()) counts_ += *counts;
  return counts.status();
}

}  // namespace betr::tools
