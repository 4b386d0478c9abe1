// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <fmt/format.h>

#include <memory>

namespace betr::tools {

int Session::Run(const std::string& image, absl::FunctionRef<WorkError(PathFileSystem&)> work) {
  absl::StatusOr<StoreOptions> store_options = ImageOptions(tool_, options_.access);
  if (!store_options.ok()) return FailToOpen(tool_, store_options.status());
  store_options->logging = options_.logging;
  store_options->cache_size = options_.cache_size;
  store_options->experiments = options_.experiments;
  absl::StatusOr<std::unique_ptr<FileSystem>> fs = OpenFileSystem(image, *std::move(store_options));
  if (!fs.ok()) return FailToOpen(tool_, fs.status());
  int exit = kExitOk;
  {
    PathFileSystem paths(fs->get());
    const WorkError error = work(paths);
    const bool stale = options_.access == ImageAccess::kStale;
    if (!error.status.ok()) exit = tool_.Fail(error.what, stale ? ExplainStale(error.status) : error.status);
  }
  const absl::Status closed = (*fs)->Unmount();
  if (closed.ok()) return exit;
  const int failed = tool_.Fail("close", closed);
  return exit == kExitOk ? failed : exit;
}

absl::StatusOr<std::string> ImageOf(const Tool& tool, const std::vector<Location>& locations) {
  std::string image;
  for (const Location& location : locations) {
    if (!location.is_inside) continue;
    const std::string& named = location.image.empty() ? tool.image() : location.image;
    if (named.empty()) {
      return absl::InvalidArgumentError("no image: give -i IMAGE, IMAGE:/path, or set BETR_IMAGE");
    }
    if (!image.empty() && image != named) {
      return absl::InvalidArgumentError(fmt::format("{} and {} are two images: copy through the host", image, named));
    }
    image = named;
  }
  return image;
}

}  // namespace betr::tools
