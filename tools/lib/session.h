// SPDX-License-Identifier: Apache-2.0
// One run of betrcp on one image: opens it, does something, closes it, and prints errors on the way.
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

// What the work of a session returns. `what` was being done when the error happened, for the message.
struct WorkError {
  std::string what;
  absl::Status status;
};

class Session {
 public:
  Session(Tool* tool, SessionOptions options) : tool_(*tool), options_(options) {}

  // Runs `work` on the file system in `image`, then closes it. Everything is durable then. Prints errors. Returns an
  // exit code. If the work fails, what it has done so far stays.
  int Run(const std::string& image, absl::FunctionRef<WorkError(PathFileSystem&)> work);
  // The same for each place in turn. One that fails does not keep the others from it, as in cat(1) and rm(1).
  int RunEach(const std::string& image, const std::vector<Location>& places,
              absl::FunctionRef<WorkError(PathFileSystem&, const Location&)> work);
  // The same for work that prints its errors itself and returns an exit code.
  int RunTelling(const std::string& image, absl::FunctionRef<int(PathFileSystem&)> work);

  // Prints the error, if it is one, now or when the image is closed. Returns an exit code.
  int Tell(const WorkError& error);

 private:
  bool HasTold(const absl::Status& closed) const;

  Tool& tool_;
  const SessionOptions options_;
  absl::Status told_;  // the last error told
  WorkError held_;     // the error of a store that has become read-only, told on closing
};

// Returns the image that all locations inside are in. A location that names no image is in that of -i, or else in the
// one that others name. For a bare one it is the other way round. kInvalidArgument if there is no image, or more than
// one.
absl::StatusOr<std::string> ImageOf(const Tool& tool, const std::vector<Location>& locations);

}  // namespace betr::tools
