// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "base/status.h"
#include "betr/fs_error.h"
#include "device/overlay_device.h"
#include "fs/mount_image.h"
#include "layout/open_locked.h"
#include "store/borrowed_device.h"

namespace betr::tools {
namespace {

// An image that stays as it is, whatever is written: ImageAccess::kTrial.
class TrialImage {
 public:
  // Called once. The file system must not outlive this.
  absl::StatusOr<std::unique_ptr<FileSystem>> Open(const std::string& image, StoreOptions options) {
    BETR_ASSIGN_OR_RETURN(file_, layout::OpenLocked(image, FileDevice::Access::kReadOnly));
    kept_.emplace(*file_);
    BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store,
                          Store::Open(std::make_unique<store::BorrowedDevice>(*kept_), std::move(options)));
    return fs::MountImage(std::move(store), image, {});
  }

 private:
  std::unique_ptr<FileDevice> file_;
  std::optional<OverlayDevice> kept_;
};

}  // namespace

int Session::Tell(const WorkError& error) {
  if (error.status.ok()) return kExitOk;
  told_ = error.status;
  // If the store became read-only, closing says why. So the error is held until then.
  const bool became_read_only = options_.access == ImageAccess::kReadWrite && ToErrno(error.status) == EROFS;
  if (became_read_only && held_.status.ok()) {
    held_ = error;
    return ExitCodeOf(error.status);
  }
  const bool stale = options_.access == ImageAccess::kStale;
  return tool_.Fail(error.what, stale ? ExplainStale(error.status) : error.status);
}

// Whether the reason for an error of closing was told before. A store that has become read-only gives its reason once
// more then, after saying that it has.
bool Session::HasTold(const absl::Status& closed) const {
  const std::string told = MessageOf(told_);
  const std::string reason = MessageOf(closed);
  const std::string why = reason.substr(reason.find(": ") + 1);
  return !told_.ok() && (reason.ends_with(told) || (" " + told).ends_with(why));
}

int Session::Run(const std::string& image, absl::FunctionRef<WorkError(PathFileSystem&)> work) {
  return RunTelling(image, [&](PathFileSystem& paths) { return Tell(work(paths)); });
}

int Session::RunEach(const std::string& image, const std::vector<Location>& places,
                     absl::FunctionRef<WorkError(PathFileSystem&, const Location&)> work) {
  return RunTelling(image, [&](PathFileSystem& paths) {
    int exit = kExitOk;
    for (const Location& place : places) exit = std::max(exit, Tell(work(paths, place)));
    return exit;
  });
}

int Session::RunTelling(const std::string& image, absl::FunctionRef<int(PathFileSystem&)> work) {
  absl::StatusOr<StoreOptions> store_options = ImageOptions(tool_, options_.access);
  if (!store_options.ok()) return FailToOpen(tool_, store_options.status());
  store_options->logging = options_.logging;
  store_options->cache_size = options_.cache_size;
  store_options->experiments = options_.experiments;
  TrialImage trial;
  absl::StatusOr<std::unique_ptr<FileSystem>> fs = options_.access == ImageAccess::kTrial
                                                       ? trial.Open(image, *std::move(store_options))
                                                       : FileSystem::OpenImage(image, *std::move(store_options));
  if (!fs.ok()) return FailToOpen(tool_, fs.status());
  int exit = kExitOk;
  {
    PathFileSystem paths(fs->get());
    exit = work(paths);
  }
  const absl::Status closed = (*fs)->Unmount();
  if (!held_.status.ok()) return std::max(exit, tool_.Fail(held_.what, WithReason(held_.status, closed)));
  if (closed.ok() || (exit != kExitOk && HasTold(closed))) return exit;
  const int failed = tool_.Fail("close", closed);
  return exit == kExitOk ? failed : exit;
}

absl::StatusOr<std::string> ImageOf(const Tool& tool, const std::vector<Location>& locations) {
  std::string image;
  const auto add = [&](const std::string& named) {
    if (!image.empty() && image != named) {
      return absl::InvalidArgumentError(fmt::format("{} and {} are two images: copy through the host", image, named));
    }
    image = named;
    return absl::OkStatus();
  };
  if (tool.is_image_given()) BETR_RETURN_IF_ERROR(add(tool.image()));
  for (const Location& location : locations) {
    if (!location.is_inside) continue;
    if (!location.image.empty()) {
      BETR_RETURN_IF_ERROR(add(location.image));
    } else if (!location.is_bare && !tool.image().empty()) {
      BETR_RETURN_IF_ERROR(add(tool.image()));
    }
  }
  if (image.empty()) image = tool.image();
  if (image.empty()) return absl::InvalidArgumentError("no image: give -i IMAGE, IMAGE:/path, or set BETR_IMAGE");
  return image;
}

}  // namespace betr::tools
