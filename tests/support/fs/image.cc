// SPDX-License-Identifier: Apache-2.0
#include "support/fs/image.h"

#include <absl/strings/str_format.h>

#include <catch2/catch.hpp>
#include <iostream>
#include <utility>

#include "base/checksum.h"
#include "base/status.h"
#include "fs/check/check.h"
#include "store/borrowed_device.h"

namespace betr::test {

Image::Image(const ImageOptions& options, PageMap pages)
    : options_(options), clock_(std::chrono::seconds(1'000'000'000)), device_(options.size, std::move(pages)) {
  options_.mount.clock = &clock_;
}

Image::Image(const ImageOptions& options) : Image(options, PageMap()) {
  FormatOptions format;
  format.node_size = options.node_size;
  format.basement_size = options.basement_size;
  format.fanout = options.fanout;
  format.log_size = options.log_size;
  format.compression = options.compression;
  const absl::Status formatted = Store::Format(device_, format);
  INFO(formatted);
  REQUIRE(formatted.ok());
  const std::unique_ptr<Store> store = OpenStore();
  RootOptions root;
  root.time = {1'000'000'000, 0};
  const absl::Status made = FileSystem::Format(store.get(), root);
  INFO(made);
  REQUIRE(made.ok());
  REQUIRE(store->Close().ok());
}

Image::~Image() = default;

std::unique_ptr<Store> Image::OpenStore(bool read_only) {
  StoreOptions options;
  options.read_only = read_only;
  options.background = options_.background;
  options.experiments = options_.experiments;
  options.cache_size = MiB(16);
  options.settle_time = std::chrono::minutes(10);  // all of it, also on a busy machine
  REQUIRE(FileSystem::RegisterUpserts(&options.functions).ok());
  absl::StatusOr<std::unique_ptr<Store>> store =
      Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options));
  INFO(store.status());
  REQUIRE(store.ok());
  return *std::move(store);
}

FileSystem& Image::fs() {
  if (fs_ == nullptr) {
    absl::StatusOr<std::unique_ptr<FileSystem>> fs = FileSystem::Mount(OpenStore(), options_.mount);
    INFO(fs.status());
    REQUIRE(fs.ok());
    fs_ = *std::move(fs);
    paths_ = std::make_unique<PathFileSystem>(fs_.get());
  }
  return *fs_;
}

PathFileSystem& Image::paths() {
  fs();
  return *paths_;
}

void Image::Unmount() {
  if (fs_ == nullptr) return;
  const absl::Status unmounted = fs_->Unmount();
  INFO(unmounted);
  REQUIRE(unmounted.ok());
  paths_.reset();
  fs_.reset();
}

void Image::Remount(const Experiments& experiments) {
  Unmount();
  options_.experiments = experiments;
}

void Image::Crash() {
  if (fs_ != nullptr) REQUIRE(fs_->Sync().ok());
  paths_.reset();
  fs_.reset();
}

void Image::CrashUnflushed() {
  if (fs_ != nullptr) REQUIRE(fs_->store().Sync().ok());
  paths_.reset();
  fs_.reset();
}

void Image::Check() {
  Unmount();
  const std::unique_ptr<Store> store = OpenStore(true);
  std::string findings;
  const auto summary = fs::CheckFileSystem(store.get(), {}, [&](const fs::CheckFinding& finding) {
    absl::StrAppendFormat(&findings, "%s: /%s: %s\n", fs::CheckCodeName(finding.code), finding.path, finding.what);
  });
  INFO(summary.status() << "\n" << findings);
  REQUIRE(summary.ok());
  REQUIRE(findings.empty());
}

std::string Describe(PathFileSystem& paths, const std::string& path) {
  std::string lines;
  const absl::Status walked = paths.Walk(path, [&](const std::string& name, const FileAttributes& attributes) {
    const std::string full = path + "/" + name;
    absl::StrAppendFormat(&lines, "%06o %u %u %u %u", attributes.mode(), attributes.links, attributes.uid,
                          attributes.gid, attributes.type == FileType::kDirectory ? 0 : attributes.size);
    absl::StrAppendFormat(&lines, " %d.%09u", attributes.modified.seconds, attributes.modified.nanoseconds);
    if (attributes.type == FileType::kRegular) {
      BETR_ASSIGN_OR_RETURN(const std::string content, paths.ReadFile(full));
      absl::StrAppendFormat(&lines, " %x", Checksum(content));
    } else if (attributes.type == FileType::kSymlink) {
      BETR_ASSIGN_OR_RETURN(const std::string target, paths.ReadLink(full));
      absl::StrAppendFormat(&lines, " -> %s", target);
    }
    absl::StrAppendFormat(&lines, " %s\n", name);
    return absl::OkStatus();
  });
  return walked.ok() ? lines : std::string(walked.ToString());
}

}  // namespace betr::test
