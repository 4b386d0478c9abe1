// SPDX-License-Identifier: Apache-2.0
// One run of betrcp on one image: open, do something, close, with errors told on the way.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <string>

#include "betr/path_filesystem.h"
#include "location.h"
#include "open_image.h"

namespace betr::tools {

struct SessionOptions {
  ImageAccess access = ImageAccess::kReadOnly;
  Logging logging = Logging::kFull;
  Bytes cache_size{0};
  Experiments experiments;
};

// What the work of a session returns: what was being done when the error happened, for the message.
struct WorkError {
  std::string what;
  absl::Status status;
};

class Session {
 public:
  Session(Tool* tool, SessionOptions options) : tool_(*tool), options_(options) {}

  // Runs `work` on the file system in `image` and closes it: everything is durable then. Prints errors; an exit
  // code. If the work fails, what it has done so far stays.
  int Run(const std::string& image, absl::FunctionRef<WorkError(PathFileSystem&)> work);

 private:
  Tool& tool_;
  const SessionOptions options_;
};

// The image that all of the locations inside one name, each by itself or by -i. kInvalidArgument if there is none,
// or more than one.
absl::StatusOr<std::string> ImageOf(const Tool& tool, const std::vector<Location>& locations);

}  // namespace betr::tools
