// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/export_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/status.h"
#include "betr/fs_error.h"

namespace betr::fs {
namespace {

constexpr size_t kBlock = kFileBlock.value;

bool IsRefused(const absl::Status& status) {
  constexpr std::array kErrors = {EPERM,  EACCES, EINVAL, EOPNOTSUPP, EILSEQ, ENAMETOOLONG,
                                  EMLINK, EFBIG,  EISDIR, ENOTDIR,    EEXIST, EBUSY};
  return !status.ok() && std::ranges::find(kErrors, ToErrno(status)) != kErrors.end();
}

}  // namespace

absl::StatusOr<size_t> ExportReader::Read(InodeId inode, uint64_t at, std::span<char> buffer) {
  for (size_t want = buffer.size();;) {
    absl::StatusOr<size_t> size = fs_.Read(inode, at, buffer.first(want));
    if (size.ok() || !IsUnreadable(size.status()) || want <= kBlock) return size;
    want = (want / 2 + kBlock - 1) / kBlock * kBlock;
  }
}

absl::StatusOr<std::optional<DataRange>> ExportReader::NextData(InodeId inode, uint64_t at, uint64_t size) {
  if (at >= size) return std::nullopt;
  const absl::StatusOr<uint64_t> data = fs_.SeekData(inode, at);
  if (ToErrno(data.status()) == ENXIO) return std::nullopt;
  const absl::StatusOr<uint64_t> hole = data.ok() ? fs_.SeekHole(inode, *data) : data;
  if (IsUnreadable(hole.status())) return DataRange{data.value_or(at), size};
  BETR_RETURN_IF_ERROR(hole.status());
  return DataRange{*data, std::min(*hole, size)};
}

absl::Status ExportReader::PassOver(const absl::Status& status, std::string_view path) {
  return IsUnreadable(status) ? GoOnWithout(status, path) : status;
}

absl::Status ExportReader::GoOnIfRefused(const absl::Status& status, std::string_view path) {
  return IsRefused(status) ? GoOnWithout(status, path) : status;
}

absl::Status ExportReader::GoOnWithout(const absl::Status& status, std::string_view path) {
  if (status.ok() || !options_.gone_without) return status;
  ++gone_without_;
  options_.gone_without(Annotate(status, path));
  return absl::OkStatus();
}

}  // namespace betr::fs
