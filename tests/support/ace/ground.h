// SPDX-License-Identifier: Apache-2.0
// What workloads run on, and how it is opened: an image with an empty file system, which is made once and copied for
// every run. Everything is the same each time: no threads, a clock that stands still, no random names.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "betr/filesystem.h"
#include "device/page_map.h"

namespace betr::ace {

enum class Constants : uint8_t {
  kProduction,  // nodes as mkfs.betr makes them, and a log (of 1 MiB) that no workload fills
  // So small that nodes split and are flushed in most workloads. The log of the image has something to replay. It is
  // nearly half full, where a checkpoint is due, and nearly at the end of its ring.
  kTiny,
};
inline constexpr Constants kAllConstants[] = {Constants::kProduction, Constants::kTiny};
std::string_view NameOf(Constants constants);
std::optional<Constants> ConstantsOf(std::string_view name);

inline constexpr FileTime kStartTime{1'000'000'000, 0};

class Ground {
 public:
  // Fails only if making an image does.
  static absl::StatusOr<Ground> Make(Constants constants, const Experiments& experiments = {});

  Constants constants() const { return constants_; }
  Bytes size() const { return size_; }
  // Returns the image. Copying it counts as writing, so a ground is for one thread.
  const PageMap& pages() const { return pages_; }
  // Returns what is free once everything that it ever held has been deleted.
  Bytes free() const { return free_; }
  // Returns the most that one write of content hands to the store at once.
  uint64_t write_unit() const { return write_unit_; }

  // Opens a store on a device that the caller keeps. Closing it waits until no background work is left.
  absl::StatusOr<std::unique_ptr<Store>> Open(BlockDevice& device) const;
  static absl::StatusOr<std::unique_ptr<FileSystem>> Mount(std::unique_ptr<Store> store, Clock& clock);

 private:
  Ground(Constants constants, const Experiments& experiments);
  absl::Status Fill();
  absl::Status FillLog(uint64_t blocks, bool closes);
  absl::Status Use();

  Constants constants_;
  Experiments experiments_;  // of all stores
  FormatOptions format_;
  Bytes size_{0};
  Bytes cache_{0};
  Bytes free_{0};
  uint64_t write_unit_ = 0;
  uint64_t log_blocks_ = 0;  // that were ever written
  PageMap pages_;
};

}  // namespace betr::ace
