// SPDX-License-Identifier: Apache-2.0
#include "support/replay/conversion.h"

#include <sys/mman.h>
#include <unistd.h>

#include <sstream>

#include "base/check.h"
#include "base/status.h"
#include "replay/run.h"

namespace betr::replay {

MemoryFile::MemoryFile(std::string_view content) : file_(memfd_create("trace", MFD_CLOEXEC)) {
  const ssize_t written = write(file_.get(), content.data(), content.size());
  Check(written == static_cast<ssize_t>(content.size()), "memory can be written");
}

absl::StatusOr<std::string> Converted(std::string_view trace) {
  const auto no_progress = [](uint64_t, Bytes, Bytes) {};
  const MemoryFile file(trace);
  RunOptions options;
  options.traces = {file.path()};
  options.root = "/w";
  BETR_ASSIGN_OR_RETURN(const Manifest initial, InferManifest(options, no_progress));
  std::ostringstream out;
  BETR_RETURN_IF_ERROR(ConvertTrace(options, initial, &out, no_progress).status());
  return out.str();
}

}  // namespace betr::replay
