// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/content_import.h"

#include <absl/strings/str_format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/status.h"
#include "betr/fs_error.h"
#include "fs/transfer/host_file.h"
#include "fs/write_all.h"

namespace betr::fs {
namespace {

constexpr size_t kBufferSize = size_t{1} << 20;

// Files that are made while they are read, as in /proc, have no size before.
constexpr off_t kUnknown = std::numeric_limits<off_t>::max();

}  // namespace

ContentImport::ContentImport(FileSystem* fs, const CopyOptions& options, CopyTotals* totals, PassOver pass_over)
    : fs_(*fs), options_(options), totals_(*totals), pass_over_(std::move(pass_over)), buffer_(kBufferSize, '\0') {}

absl::Status ContentImport::Fill(int file, const std::string& path, InodeId inode) {
  struct stat now {};
  if (fstat(file, &now) != 0) return HostError(path, "stat");
  if (now.st_size == 0) return CopyPart(file, path, inode, 0, kUnknown, Has::kNothing).status();
  BETR_ASSIGN_OR_RETURN(const bool all, CopyParts(file, path, inode, now, Has::kNothing));
  if (!all) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const FileAttributes written, fs_.GetAttributes(inode));
  if (written.size >= static_cast<uint64_t>(now.st_size)) return absl::OkStatus();
  return fs_.SetAttributes(inode, {.size = static_cast<uint64_t>(now.st_size)}).status();
}

absl::Status ContentImport::Update(int file, const std::string& path, InodeId inode) {
  struct stat now {};
  if (fstat(file, &now) != 0) return HostError(path, "stat");
  const auto size = static_cast<uint64_t>(now.st_size);
  BETR_ASSIGN_OR_RETURN(const FileAttributes there, fs_.GetAttributes(inode));
  if (there.size > size) BETR_RETURN_IF_ERROR(fs_.SetAttributes(inode, {.size = size}).status());
  BETR_ASSIGN_OR_RETURN(const bool all, CopyParts(file, path, inode, now, Has::kContent));
  if (!all) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const FileAttributes written, fs_.GetAttributes(inode));
  return written.size == size ? absl::OkStatus() : fs_.SetAttributes(inode, {.size = size}).status();
}

// Returns false if the file ends before `end`, or cannot be read further. The copy ends there, too.
absl::StatusOr<bool> ContentImport::CopyParts(int file, const std::string& path, InodeId inode,
                                              const struct stat& source, Has has) {
  const off_t size = source.st_size;
  const bool sparse = source.st_blocks * 512 < size;
  off_t at = 0;
  while (at < size) {
    off_t data = at;
    off_t end = size;
    if (sparse) {
      data = lseek(file, at, SEEK_DATA);
      if (data < 0) data = errno == ENXIO ? size : at;
      const off_t hole = data < size ? lseek(file, data, SEEK_HOLE) : size;
      end = hole < 0 ? size : std::min(hole, size);
      data = std::min(data, size);
    }
    if (has == Has::kContent) {
      BETR_RETURN_IF_ERROR(Annotate(MakeHole(inode, static_cast<uint64_t>(at), static_cast<uint64_t>(data)), path));
    }
    BETR_ASSIGN_OR_RETURN(const bool more, CopyPart(file, path, inode, data, end, has));
    if (!more) return false;
    at = end;
  }
  return true;
}

absl::StatusOr<bool> ContentImport::CopyPart(int file, const std::string& path, InodeId inode, off_t at, off_t end,
                                             Has has) {
  if (options_.dry_run) {
    totals_.bytes += Bytes{end == kUnknown ? 0 : static_cast<uint64_t>(end - at)};
    return true;
  }
  while (at < end) {
    const size_t want = std::min<size_t>(buffer_.size(), static_cast<size_t>(end - at));
    const ssize_t size = pread(file, buffer_.data(), want, at);
    if (size < 0) {
      BETR_RETURN_IF_ERROR(
          pass_over_(HostError(absl::StrFormat("%s: incomplete: only the first %u bytes", path, at), "read")));
    }
    if (size <= 0) {
      // What was there after it does not belong to this file.
      BETR_ASSIGN_OR_RETURN(const FileAttributes there, fs_.GetAttributes(inode));
      const auto here = static_cast<uint64_t>(at);
      if (there.size > here) BETR_RETURN_IF_ERROR(fs_.SetAttributes(inode, {.size = here}).status());
      return false;
    }
    const std::string_view bytes(buffer_.data(), static_cast<size_t>(size));
    const auto to = static_cast<uint64_t>(at);
    const absl::Status written =
        has == Has::kNothing ? WriteAll(&fs_, inode, to, bytes) : WriteChanges(inode, to, bytes);
    BETR_RETURN_IF_ERROR(Annotate(written, path));
    totals_.bytes += Bytes{bytes.size()};
    at += size;
    if (options_.progress && at < end) BETR_RETURN_IF_ERROR(options_.progress(totals_, path));
  }
  return true;
}

absl::Status ContentImport::WriteChanges(InodeId inode, uint64_t at, std::string_view bytes) {
  there_.resize(kBufferSize);
  const absl::StatusOr<size_t> read = fs_.Read(inode, at, {there_.data(), bytes.size()});
  // What cannot be read is replaced.
  const std::string_view there(there_.data(), read.value_or(0));
  size_t begin = 0;  // of what differs up to here
  for (size_t block = 0; block < bytes.size(); block += kFileBlock.value) {
    const std::string_view is = bytes.substr(block, kFileBlock.value);
    if (block + is.size() > there.size() || there.substr(block, is.size()) != is) continue;
    BETR_RETURN_IF_ERROR(WriteAll(&fs_, inode, at + begin, bytes.substr(begin, block - begin)));
    begin = block + is.size();
  }
  return WriteAll(&fs_, inode, at + begin, bytes.substr(std::min(begin, bytes.size())));
}

absl::Status ContentImport::MakeHole(InodeId inode, uint64_t begin, uint64_t end) {
  if (begin >= end) return absl::OkStatus();
  const absl::StatusOr<uint64_t> data = fs_.SeekData(inode, begin);
  if (ToErrno(data.status()) == ENXIO || (data.ok() && *data >= end)) return absl::OkStatus();
  return fs_.Allocate(inode, AllocateMode::kPunchHole, begin, end - begin);
}

}  // namespace betr::fs
