// SPDX-License-Identifier: Apache-2.0
#include "fsck_device.h"

#include "base/clock.h"
#include "base/status.h"
#include "layout/open_locked.h"
#include "layout/signatures.h"
#include "layout/superblock_slots.h"

namespace betr::tools {
namespace {

// Whether there may be an image whose beginning was wiped: nothing is recognised, and there is room for one.
bool MayBeWiped(BlockDevice& device) {
  if (!absl::IsInvalidArgument(layout::ReadNewest(device).status()) || device.Size() < layout::kLogOffset) return false;
  const absl::StatusOr<std::optional<layout::Signature>> foreign = layout::DetectForeign(device);
  return foreign.ok() && !foreign->has_value();
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileDevice>> OpenToCheck(const std::string& path, FsckAccess access) {
  if (access == FsckAccess::kLook) return layout::OpenLocked(path, FileDevice::Access::kReadOnly);
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<FileDevice> device, layout::OpenLocked(path, FileDevice::Access::kReadWrite));
  if (access == FsckAccess::kOverwrite) return device;
  // Only a device that is known to be an image, and may be written to, gets an owner's note.
  const absl::StatusOr<layout::NewestSuperblock> newest = layout::ReadNewest(*device);
  const absl::Status known = newest.status();
  if (known.ok() && newest->superblock.Writable()) {
    BETR_RETURN_IF_ERROR(device->PublishOwner(ThisProcess("fsck.betr", SystemClock())));
  }
  const bool may_search = access == FsckAccess::kSearch && MayBeWiped(*device);
  if (known.ok() || absl::IsDataLoss(known) || may_search) return device;
  return access == FsckAccess::kSearch ? known : HintAtSearch(*device, known);
}

absl::Status HintAtSearch(BlockDevice& device, const absl::Status& status) {
  if (!absl::IsInvalidArgument(status) || !MayBeWiped(device)) return status;
  return absl::InvalidArgumentError(
      std::string(status.message()) +
      "; if it was one, fsck.betr -y looks for the copy of its superblock on the whole device");
}

absl::Status WatchedDevice::Read(Bytes offset, std::span<char> out) {
  if (is_cancelled_.load(std::memory_order_relaxed)) return absl::CancelledError("cancelled");
  absl::Status status = ForwardingDevice::Read(offset, out);
  if (absl::IsUnavailable(status) && first_error_.ok()) first_error_ = status;
  read_ += Bytes{out.size()};
  on_read_(read_);
  return status;
}

}  // namespace betr::tools
