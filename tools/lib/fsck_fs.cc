// SPDX-License-Identifier: Apache-2.0
#include "fsck_fs.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "betr/store.h"
#include "fs/check.h"
#include "fs/describe_loss.h"
#include "fs/lost_trees.h"
#include "store/borrowed_device.h"
#include "store/check_store.h"
#include "store/impl.h"

namespace betr::tools {
namespace {

absl::StatusOr<StoreOptions> OptionsFor(Bytes cache_size, bool read_only) {
  StoreOptions store_options;
  store_options.cache_size = cache_size;
  store_options.read_only = read_only;
  store_options.background = false;
  store_options.program = "fsck.betr";
  BETR_RETURN_IF_ERROR(FileSystem::RegisterUpserts(&store_options.functions));
  return store_options;
}

absl::StatusOr<std::unique_ptr<Store>> OpenStore(BlockDevice& device, Bytes cache_size, bool read_only) {
  BETR_ASSIGN_OR_RETURN(StoreOptions options, OptionsFor(cache_size, read_only));
  return Store::Open(std::make_unique<store::BorrowedDevice>(device), std::move(options));
}

// What only the programs that wrote them can tell. The store is whole, so this is no finding.
void NoteUnknownFunctions(Store& store, FsckReport& report) {
  for (const auto& [number, name] : store.impl().UnknownFunctions()) {
    report.Note(
        fmt::format("the image uses upsert function {}{}, which fsck.betr does not know: the values that it makes "
                    "are not looked at, and nothing in the file system can be repaired",
                    number, name.empty() ? "" : fmt::format(" \"{}\"", Escape(name))));
  }
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
  if (absl::IsNotFound(status)) {
    report.Note("a store without a file system");
  } else if (!status.ok()) {
    return status;
  }
  return errors;
}

// Does it once more and repairs on the way. Returns how many errors are left.
absl::StatusOr<uint64_t> RepairFiles(BlockDevice& device, const FsckFsOptions& options,
                                     const std::atomic<bool>& is_cancelled, FsckReport& report) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(device, options.cache_size, false));
  const auto found = [&](const fs::CheckFinding& finding) {
    if (finding.repaired) {
      report.Repaired(finding.path + ": " + finding.what);
    }
  };
  const auto cancelled = [&] { return is_cancelled.load(); };
  const absl::StatusOr<fs::CheckSummary> summary =
      options.may_salvage
          ? fs::RepairFileSystem(store.get(), cancelled, found)
          : fs::CheckFileSystem(store.get(), {.repair = true, .salvage = false, .cancelled = cancelled}, found);
  const absl::Status closed = store->Close();
  BETR_RETURN_IF_ERROR(summary.status());
  BETR_RETURN_IF_ERROR(closed);
  return summary->errors_left;
}

}  // namespace

absl::StatusOr<CheckedFiles> CheckFiles(BlockDevice& watched, BlockDevice& device, const FsckFsOptions& options,
                                        const std::atomic<bool>& is_cancelled, FsckReport& report) {
  FileErrors errors;
  {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(watched, options.cache_size, true));
    NoteUnknownFunctions(*store, report);
    if (options.has_log) {
      BETR_ASSIGN_OR_RETURN(const uint64_t replayed, CheckReplayed(*store, report));
      if (replayed > 0) {
        return CheckedFiles{replayed, true};
      }
    }
    BETR_ASSIGN_OR_RETURN(errors, FindErrors(*store, is_cancelled, report));
  }
  const bool can_repair = errors.can_repair || (options.may_salvage && errors.left > 0);
  if (options.may_repair && can_repair && !is_cancelled) {
    BETR_ASSIGN_OR_RETURN(errors.left, RepairFiles(device, options, is_cancelled, report));
  }
  return CheckedFiles{errors.left, false};
}

absl::Status SettleSalvaged(BlockDevice& device, Bytes cache_size, const store::Salvaged& salvaged,
                            FsckReport& report) {
  std::vector<store::LostRange> lost = salvaged.lost;
  BETR_ASSIGN_OR_RETURN(StoreOptions options, OptionsFor(cache_size, true));
  BETR_ASSIGN_OR_RETURN(const store::MendedLog log, store::MendReplay(device, std::move(options)));
  if (log.cut.frames > 0) {
    report.Repaired(fmt::format("log: {} frames with {} records are not replayed", log.cut.frames, log.cut.records));
  }
  lost.insert(lost.end(), log.losses.lost.begin(), log.losses.lost.end());
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, OpenStore(device, cache_size, true));
  if (fs::HasLostTrees(*store)) {
    BETR_ASSIGN_OR_RETURN(store, OpenStore(device, cache_size, false));
    BETR_RETURN_IF_ERROR(fs::AdoptLostTrees(store.get(), [&](std::string_view action) { report.Repaired(action); }));
    BETR_RETURN_IF_ERROR(store->Close());
    BETR_ASSIGN_OR_RETURN(store, OpenStore(device, cache_size, true));
  }
  BETR_RETURN_IF_ERROR(fs::DescribeLosses(*store, std::move(lost), [&](const fs::Loss& loss) { report.Lost(loss); }));
  if (const uint64_t more = salvaged.more_lost + log.losses.more_lost; more > 0) {
    report.Note(fmt::format("{} more ranges of keys are lost, which are not listed", more));
  }
  return absl::OkStatus();
}

absl::Status ReplayForGood(BlockDevice& device, Bytes cache_size) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(device, cache_size, false));
  return store->Close();
}

}  // namespace betr::tools
