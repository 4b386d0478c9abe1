// SPDX-License-Identifier: Apache-2.0
// Replays into an image through lib/fs, without kernel and mount. Counts what the device sees. Thread-safe for
// operations.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "betr/filesystem.h"
#include "device/counting_device.h"
#include "device/disk_device.h"
#include "device/file_device.h"
#include "replay/interpret/contents.h"
#include "replay/target.h"

namespace betr::replay {

struct ImageTargetOptions {
  std::string image;
  std::string program;  // for the note on the owner
  Bytes cache_size{0};  // 0: as the store chooses
  Experiments experiments{};
  uint64_t seed = 1;                  // of the contents
  const DiskProfile* disk = nullptr;  // the model that the device goes through; null: none
  DiskDevice::Timing disk_timing = DiskDevice::Timing::kAccount;
};

class ImageTarget final : public Target {
 public:
  // Opens the image for writing. Errors: those of Store::OpenImage.
  static absl::StatusOr<std::unique_ptr<ImageTarget>> Open(const ImageTargetOptions& options);
  ~ImageTarget() override;

  absl::StatusOr<bool> IsEmpty() override;
  absl::Status StartCold() override;
  void BindRoot(NodeNumber root) override;
  Outcome Perform(const Operation& operation) override;
  absl::Status Sync() override;
  absl::StatusOr<Manifest> List(const std::string& root) override;
  std::optional<DeviceCounts> Counts() override;
  absl::Status Close() override;

 private:
  explicit ImageTarget(const ImageTargetOptions& options);

  absl::Status OpenDevice();
  absl::Status Mount();
  absl::Status Unmount();

  // --- image_target.cc ---------------------------------------------------------------------------------------
  Outcome Dispatch(const Operation& operation);
  Outcome OnDirectory(const Operation& operation);
  // Returns the inode that an operation is about; 0 if the target does not know it.
  InodeId InodeOf(const Operation& operation) const;
  InodeId InodeOf(NodeNumber node) const;
  InodeId InodeOf(FileNumber file) const;
  void Learn(NodeNumber node, InodeId inode);
  void Learn(FileNumber file, InodeId inode);
  Outcome Probe(const Operation& operation);
  Outcome Lookup(const Operation& operation);
  // --- image_target_content.cc ---------------------------------------------------------------------------------
  Outcome OpenFile(const Operation& operation);
  Outcome CreateFile(const Operation& operation);
  Outcome CloseFile(const Operation& operation);
  Outcome Read(const Operation& operation);
  Outcome Write(const Operation& operation);
  Outcome Truncate(const Operation& operation);
  Outcome Allocate(const Operation& operation);
  Outcome CopyRange(const Operation& operation);
  Outcome SyncAll(const Operation& operation);
  Outcome Seek(const Operation& operation);
  // --- image_target_names.cc -----------------------------------------------------------------------------------
  Outcome Make(const Operation& operation);
  Outcome Link(const Operation& operation);
  Outcome Remove(const Operation& operation);
  Outcome Rename(const Operation& operation);
  Outcome Stat(const Operation& operation);
  Outcome ReadLink(const Operation& operation);
  Outcome ListDirectory(const Operation& operation);
  Outcome Change(const Operation& operation);
  Outcome Xattr(const Operation& operation);
  Outcome Forget(const Operation& operation);

  const ImageTargetOptions options_;
  const Contents contents_;
  std::unique_ptr<FileDevice> file_;
  std::unique_ptr<DiskDevice> disk_;  // null if there is no model
  std::unique_ptr<CountingDevice> counting_;
  std::unique_ptr<FileSystem> fs_;
  NodeNumber root_;
  mutable Mutex mutex_;
  std::unordered_map<NodeNumber, InodeId> nodes_ ABSL_GUARDED_BY(mutex_);  // a reference each, but for the root
  std::unordered_map<FileNumber, InodeId> files_ ABSL_GUARDED_BY(mutex_);  // open
};

}  // namespace betr::replay
