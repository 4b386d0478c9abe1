// SPDX-License-Identifier: Apache-2.0
// Images that hold a file system, by path.
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/mount_image.h"
#include "fs/time_coding.h"
#include "store/create_image.h"

namespace betr {
namespace {

// Makes the file system in the empty store on a device.
absl::Status Fill(std::unique_ptr<BlockDevice> device, RootOptions root) {
  if (root.time == FileTime{}) root.time = fs::FileTimeOf(SystemClock().Now());
  StoreOptions options;
  options.logging = Logging::kBulk;
  options.background = false;
  BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&options.functions));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(std::move(device), std::move(options)));
  BETR_RETURN_IF_ERROR(FileSystem::Format(store.get(), root));
  return store->Close();
}

}  // namespace

absl::Status FileSystem::CreateImage(const std::string& path, Bytes size, const FormatOptions& options,
                                     const RootOptions& root) {
  return store::CreateImage(path, size, options,
                            [&](std::unique_ptr<BlockDevice> device) { return Fill(std::move(device), root); });
}

absl::Status FileSystem::FormatImage(const std::string& path, const FormatOptions& options, const RootOptions& root,
                                     Store::Existing existing) {
  return store::FormatImage(path, options, existing,
                            [&](std::unique_ptr<BlockDevice> device) { return Fill(std::move(device), root); });
}

absl::StatusOr<std::unique_ptr<FileSystem>> FileSystem::OpenImage(const std::string& path, StoreOptions store_options,
                                                                  const MountOptions& options) {
  BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&store_options.functions));
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Store::OpenImage(path, std::move(store_options)));
  return fs::MountImage(std::move(store), path, options);
}

}  // namespace betr
