// SPDX-License-Identifier: Apache-2.0
#include "fsck_fs.h"

#include <memory>
#include <utility>

#include "base/status.h"
#include "betr/filesystem.h"
#include "betr/store.h"
#include "fs/check.h"
#include "store/borrowed_device.h"
#include "store/check_store.h"
#include "store/impl.h"

namespace betr::tools {
namespace {

absl::StatusOr<std::unique_ptr<Store>> OpenStore(BlockDevice& device, const FsckFsOptions& options, bool read_only) {
  StoreOptions store_options;
  store_options.cache_size = options.cache_size;
  store_options.read_only = read_only;
  store_options.background = false;
  store_options.program = "fsck.betr";
  BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&store_options.functions));
  return Store::Open(std::make_unique<store::BorrowedDevice>(device), std::move(store_options));
}

// What stands in the log may have been wrong from the beginning: the state that it leads to is checked like any.
absl::StatusOr<uint64_t> CheckReplayed(Store& store, FsckReport& report) {
  BETR_ASSIGN_OR_RETURN(const store::StatePtr state, store.impl().structure().Drain());
  uint64_t errors = 0;
  store::CheckState(*state, [&](const store::Finding& finding) {
    ++errors;
    report.Found({"store", finding.kind, "after replaying the log: " + finding.what, false});
  });
  return errors;
}

FsckFinding ToFinding(const fs::CheckFinding& finding) {
  return {"file system", fs::CheckCodeName(finding.code), finding.path + ": " + finding.what, finding.harmless};
}

struct FileErrors {
  uint64_t left = 0;
  bool can_repair = false;
};

// What the file system says of itself. A store without one is fine.
absl::StatusOr<FileErrors> FindErrors(Store& store, const std::atomic<bool>& is_cancelled, FsckReport& report) {
  FileErrors errors;
  const auto found = [&](const fs::CheckFinding& finding) {
    errors.left += finding.harmless ? 0 : 1;
    errors.can_repair = errors.can_repair || finding.repairable;
    report.Found(ToFinding(finding));
  };
  const fs::CheckOptions options{.repair = false, .cancelled = [&] { return is_cancelled.load(); }};
  const absl::Status status = fs::CheckFileSystem(&store, options, found).status();
  if (!status.ok() && !absl::IsNotFound(status)) {
    return status;
  }
  return errors;
}

// Does it once more and repairs on the way. Returns how many errors are left.
absl::StatusOr<uint64_t> RepairFiles(BlockDevice& device, const FsckFsOptions& options,
                                     const std::atomic<bool>& is_cancelled, FsckReport& report) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(device, options, false));
  const auto found = [&](const fs::CheckFinding& finding) {
    if (finding.repaired) {
      report.Repaired(finding.path + ": " + finding.what);
    }
  };
  const fs::CheckOptions check{.repair = true, .cancelled = [&] { return is_cancelled.load(); }};
  const absl::StatusOr<fs::CheckSummary> summary = fs::CheckFileSystem(store.get(), check, found);
  const absl::Status closed = store->Close();
  BETR_RETURN_IF_ERROR(summary.status());
  BETR_RETURN_IF_ERROR(closed);
  return summary->errors_left;
}

}  // namespace

absl::StatusOr<uint64_t> CheckFiles(BlockDevice& watched, BlockDevice& device, const FsckFsOptions& options,
                                    const std::atomic<bool>& is_cancelled, FsckReport& report) {
  FileErrors errors;
  {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(watched, options, true));
    if (options.has_log) {
      BETR_ASSIGN_OR_RETURN(const uint64_t replayed, CheckReplayed(*store, report));
      if (replayed > 0) {
        return replayed;
      }
    }
    BETR_ASSIGN_OR_RETURN(errors, FindErrors(*store, is_cancelled, report));
  }
  if (options.may_repair && errors.can_repair && !is_cancelled) {
    return RepairFiles(device, options, is_cancelled, report);
  }
  return errors.left;
}

}  // namespace betr::tools
