// SPDX-License-Identifier: Apache-2.0
#include "fsck_fs.h"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "betr/store.h"
#include "fs/check/check.h"
#include "fs/check/lost_trees.h"
#include "store/borrowed_device.h"
#include "store/impl.h"
#include "store/offline/check_store.h"
#include "store/offline/repair_image.h"

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

// Makes durable what was written. Leaves the image as one that was not ended cleanly, since there is more to repair. If
// that is never done, fsck.betr -p looks closely because of it.
absl::Status Leave(Store& store) {
  BETR_RETURN_IF_ERROR(store.Sync());
  return store.Checkpoint();
}

// Notes the functions that only the programs that wrote them know. The store is whole, so this is no finding.
void NoteUnknownFunctions(Store& store, FsckReport& report) {
  for (const auto& [number, name] : store.impl().UnknownFunctions()) {
    report.Note(
        fmt::format("the image uses upsert function {}{}, which fsck.betr does not know: the values that it makes "
                    "are not looked at, and nothing in the file system can be repaired",
                    number, name.empty() ? "" : fmt::format(" \"{}\"", Escape(name))));
  }
}

// Checks the state to which the log leads, since what is in the log may have been wrong from the beginning. Returns the
// number of errors.
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
  bool has_files = true;
  uint64_t left = 0;
  bool can_repair = false;
};

// Checks the file system, and repairs nothing. A store without one is fine.
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
    errors.has_files = false;
  } else if (!status.ok()) {
    return status;
  }
  return errors;
}

// Checks the file system once more, and repairs on the way. Returns how many errors are left.
absl::StatusOr<uint64_t> RepairFiles(BlockDevice& device, const FsckFsOptions& options,
                                     const std::atomic<bool>& is_cancelled, FsckReport& report) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(device, options.cache_size, false));
  const auto found = [&](const fs::CheckFinding& finding) {
    if (finding.repaired) report.Repaired(finding.path + ": " + finding.what);
    if (!finding.lost_name.empty()) {
      fs::Loss loss;
      loss.kind = finding.lost_attribute.empty() ? fs::Loss::Kind::kName : fs::Loss::Kind::kAttribute;
      loss.attribute = finding.lost_attribute;
      loss.names = {finding.lost_name};
      loss.why = finding.what;
      report.Lost(loss);
    }
  };
  const auto cancelled = [&] { return is_cancelled.load(); };
  const absl::StatusOr<fs::CheckSummary> summary =
      options.may_salvage
          ? fs::RepairFileSystem(store.get(), cancelled, found)
          : fs::CheckFileSystem(store.get(), {.repair = true, .salvage = false, .cancelled = cancelled}, found);
  const bool is_all = summary.ok() && summary->errors_left == 0;
  const absl::Status closed = is_all ? store->Close() : Leave(*store);
  BETR_RETURN_IF_ERROR(summary.status());
  BETR_RETURN_IF_ERROR(closed);
  return summary->errors_left;
}

// Reports what a repair that was interrupted has not put into its place. Returns the number of findings.
absl::StatusOr<uint64_t> FindLostTrees(const Store& store, FsckReport& report) {
  BETR_ASSIGN_OR_RETURN(const std::vector<std::string> findings, fs::FindLostTrees(store));
  for (const std::string& finding : findings) report.Found({"file system", "lost-tree", finding});
  return findings.size();
}

absl::Status Adopt(BlockDevice& device, Bytes cache_size, FsckReport& report) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(device, cache_size, false));
  const absl::Status adopted =
      fs::AdoptLostTrees(store.get(), [&](std::string_view action) { report.Repaired(action); });
  const absl::Status written = Leave(*store);
  return adopted.ok() ? written : adopted;
}

absl::Status EndLogAndAdopt(BlockDevice& device, Bytes cache_size, FsckLosses& losses, FsckReport& report) {
  BETR_ASSIGN_OR_RETURN(StoreOptions options, OptionsFor(cache_size, true));
  const store::TellLosses loses = [&](std::span<const store::LostRange> lost) { losses.Add(lost); };
  BETR_ASSIGN_OR_RETURN(const store::MendedLog log, store::MendReplay(device, std::move(options), loses));
  if (log.cut.frames > 0) {
    report.Repaired(fmt::format("log: {} frames with {} records are not replayed", log.cut.frames, log.cut.records));
  }
  if (losses.AreBeforeLog()) {
    BETR_ASSIGN_OR_RETURN(const auto image, store::Inspection::Open(device, cache_size));
    BETR_RETURN_IF_ERROR(losses.FollowLog(*image));
  }
  bool has_lost = false;
  {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(device, cache_size, true));
    BETR_ASSIGN_OR_RETURN(const std::vector<std::string> lost, fs::FindLostTrees(*store));
    has_lost = !lost.empty();
  }
  return has_lost ? Adopt(device, cache_size, report) : absl::OkStatus();
}

absl::Status TellByNames(BlockDevice& device, Bytes cache_size, FsckLosses& losses) {
  if (losses.AllTold()) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(device, cache_size, true));
  return losses.TellByNames(*store);
}

}  // namespace

absl::StatusOr<CheckedFiles> CheckFiles(BlockDevice& watched, BlockDevice& device, const FsckFsOptions& options,
                                        const std::atomic<bool>& is_cancelled, FsckReport& report) {
  FileErrors errors;
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, OpenStore(watched, options.cache_size, true));
  NoteUnknownFunctions(*store, report);
  if (options.has_log) {
    BETR_ASSIGN_OR_RETURN(const uint64_t replayed, CheckReplayed(*store, report));
    if (replayed > 0) return CheckedFiles{replayed, true};
  }
  BETR_ASSIGN_OR_RETURN(uint64_t lost_trees, FindLostTrees(*store, report));
  if (lost_trees > 0 && options.may_repair && !is_cancelled) {
    store.reset();
    BETR_RETURN_IF_ERROR(Adopt(device, options.cache_size, report));
    lost_trees = 0;
    BETR_ASSIGN_OR_RETURN(store, OpenStore(watched, options.cache_size, true));
  }
  BETR_ASSIGN_OR_RETURN(errors, FindErrors(*store, is_cancelled, report));
  store.reset();
  const bool can_repair = errors.can_repair || (options.may_salvage && errors.left > 0);
  if (options.may_repair && can_repair && !is_cancelled) {
    BETR_ASSIGN_OR_RETURN(errors.left, RepairFiles(device, options, is_cancelled, report));
  }
  return CheckedFiles{errors.left + lost_trees, false, errors.has_files};
}

bool HasFileSystem(const store::Inspection& image) {
  std::set<std::string_view> missing = {kMetaTree, kDataTree};
  for (const auto& [id, tree] : image.state()->trees) missing.erase(tree.name);
  return missing.empty();
}

bool HasLostTrees(const store::Inspection& image, BlockDevice& device, Bytes cache_size) {
  std::vector<std::string> names;
  for (const auto& [id, tree] : image.state()->trees) names.push_back(tree.name);
  if (!fs::MayHaveLostTrees(names)) return false;
  const absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(device, cache_size, true);
  const auto lost = store.ok() ? fs::FindLostTrees(**store) : store.status();
  return !lost.ok() || !lost->empty();
}

absl::Status SettleSalvaged(BlockDevice& device, Bytes cache_size, FsckLosses& losses, FsckReport& report) {
  const absl::Status settled = EndLogAndAdopt(device, cache_size, losses, report);
  const absl::Status told = TellByNames(device, cache_size, losses);
  return settled.ok() ? told : settled;
}

absl::Status ReplayForGood(BlockDevice& device, Bytes cache_size) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(device, cache_size, false));
  return Leave(*store);
}

absl::Status EndCleanly(BlockDevice& device, Bytes cache_size) {
  {
    BETR_ASSIGN_OR_RETURN(const auto image, store::Inspection::Open(device, cache_size));
    if (image->superblock().log_opening != 0) return absl::OkStatus();
  }
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(device, cache_size, false));
  const absl::Status status = fs::Rewrite(store.get());
  const bool is_refused = absl::IsResourceExhausted(status) || absl::IsFailedPrecondition(status);
  return status.ok() ? store->Close() : is_refused ? absl::OkStatus() : status;
}

}  // namespace betr::tools
