// SPDX-License-Identifier: Apache-2.0
#include "store/create_image.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "device/file_device.h"
#include "device/unseen_file.h"
#include "layout/format_options.h"
#include "layout/open_locked.h"
#include "layout/signatures.h"

namespace betr {
namespace {

using DevicePointer = std::unique_ptr<FileDevice>;

// Checks what was asked for, before anything is made or lost.
absl::Status CheckOptions(const std::string& path, Bytes size, const FormatOptions& options) {
  if (size.value % kBlockSize.value != 0) {
    return absl::InvalidArgumentError(
        fmt::format("{}: an image of {} bytes: must be a multiple of {}", path, size.value, kBlockSize.value));
  }
  BETR_RETURN_IF_ERROR(Annotate(layout::CheckRoom(options, size), path));
  return Annotate(layout::NewSuperblock(options, size, SystemClock().Now()).status(), path);
}

absl::Status CheckEmpty(FileDevice& device) {
  BETR_ASSIGN_OR_RETURN(const std::vector<layout::Signature> found, layout::DetectSignatures(device));
  if (!found.empty()) {
    return absl::AlreadyExistsError(fmt::format("{}: {} is on it", device.Name(), found.front().name));
  }
  BETR_ASSIGN_OR_RETURN(const std::optional<Bytes> content, layout::FindContent(device));
  if (content) return absl::AlreadyExistsError(fmt::format("{}: is not empty (at {})", device.Name(), content->value));
  return absl::OkStatus();
}

absl::Status LeaveEmpty(std::unique_ptr<BlockDevice> /*device*/) { return absl::OkStatus(); }

}  // namespace

absl::Status store::CreateImage(const std::string& path, Bytes size, const FormatOptions& options, FillDevice fill) {
  BETR_RETURN_IF_ERROR(CheckOptions(path, size, options));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<UnseenFile> file, UnseenFile::Make(path));
  BETR_ASSIGN_OR_RETURN(DevicePointer device, FileDevice::In(*file, size));
  BETR_RETURN_IF_ERROR(device->Lock(FileDevice::LockMode::kExclusive, layout::kOwnerOffset));
  BETR_RETURN_IF_ERROR(Store::Format(*device, options));
  BETR_RETURN_IF_ERROR(fill(std::move(device)));
  return file->Appear();
}

absl::Status store::FormatImage(const std::string& path, const FormatOptions& options, Store::Existing existing,
                                FillDevice fill) {
  BETR_ASSIGN_OR_RETURN(DevicePointer device, layout::OpenLocked(path, FileDevice::Access::kReadWrite));
  BETR_RETURN_IF_ERROR(CheckOptions(path, device->Size(), options));
  if (existing == Store::Existing::kKeep) BETR_RETURN_IF_ERROR(CheckEmpty(*device));
  BETR_RETURN_IF_ERROR(layout::WipeSignatures(*device));
  BETR_RETURN_IF_ERROR(Store::Format(*device, options));
  return fill(std::move(device));
}

absl::Status Store::CreateImage(const std::string& path, Bytes size, const FormatOptions& options) {
  return store::CreateImage(path, size, options, LeaveEmpty);
}

absl::Status Store::FormatImage(const std::string& path, const FormatOptions& options, Existing existing) {
  return store::FormatImage(path, options, existing, LeaveEmpty);
}

}  // namespace betr
