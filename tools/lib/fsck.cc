// SPDX-License-Identifier: Apache-2.0
#include "fsck.h"

#include <absl/functional/function_ref.h>
#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/size_text.h"
#include "base/status.h"
#include "device/overlay_device.h"
#include "device/undo_file.h"
#include "fsck_device.h"
#include "fsck_fs.h"
#include "fsck_losses.h"
#include "fsck_options.h"
#include "fsck_report.h"
#include "fsck_undo.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "store/failed_record.h"
#include "store/offline/repair_image.h"
#include "store/offline/scrub.h"

namespace betr::tools {
namespace {

class FsckRun {
 public:
  FsckRun(Tool& tool, const FsckOptions& options, const std::atomic<bool>& is_cancelled)
      : tool_(tool),
        options_(options),
        is_cancelled_(is_cancelled),
        progress_(tool, ""),
        report_(tool, progress_, options.dry_run),
        losses_(report_, options.lost_limit) {}

  int Run() {
    const FsckAccess to_repair = options_.yes ? FsckAccess::kSearch : FsckAccess::kRepair;
    const bool looks = options_.dry_run || !options_.MayRepair();
    absl::StatusOr<std::unique_ptr<FileDevice>> file =
        OpenToCheck(options_.image, looks ? FsckAccess::kLook : to_repair);
    if (!file.ok()) {
      Failed(file.status(), "open: ");
      if (tool_.json()) Finish();
      return exit_;
    }
    return RunOn(**file);
  }

  int RunOn(BlockDevice& file) {
    absl::Status status = CheckIn(file);
    if (!options_.yes) status = HintAtSearch(file, status);
    if (!status.ok() && !is_cancelled_) Failed(status, options_.image + ": ");
    Finish();
    return exit_;
  }

 private:
  using Findings = std::vector<store::Finding>;

  // `front`: comes before the message, unless the message says it by itself.
  void Failed(const absl::Status& status, const std::string& front) {
    progress_.Clear();
    error_ = std::string(status.message());
    if (!error_.starts_with(front)) error_ = front + error_;
    tool_.PrintError(error_);
    exit_ |= absl::IsDataLoss(status) ? kFsckUncorrected : kFsckOperational;
    has_failed_ = true;
  }

  // What is read from now on is counted anew.
  void BeginPhase(std::string_view phase) {
    progress_.Begin(phase);
    read_before_ = read_;
  }

  Bytes CacheSize() const { return options_.cache_size.value > 0 ? options_.cache_size : MiB(256); }

  absl::Status CheckIn(BlockDevice& file) {
    if (options_.dry_run) {
      OverlayDevice device(file);
      return Check(device);
    }
    if (options_.undo.empty()) return Check(file);
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<UndoDevice> device,
                          UndoDevice::Create(file, options_.undo, layout::kSlotOffset));
    return Check(*device);
  }

  absl::Status Check(BlockDevice& file) {
    WatchedDevice device(file, is_cancelled_, [&](Bytes so_far) {
      read_ = so_far;
      progress_.Update(0, read_ - read_before_);
    });
    absl::Status status = CheckLevels(device, file);
    losses_.TellByKeys();  // if the check has ended before they could be told by names
    if (status.ok() && !device.first_error().ok()) status = device.first_error();
    return status;
  }

  // Checks the store first, since the file system is only looked at where the store can be read.
  absl::Status CheckLevels(WatchedDevice& device, BlockDevice& file) {
    if (options_.MayRepair()) BETR_RETURN_IF_ERROR(RestoreSuperblocks(device));
    if (options_.data) {
      BETR_ASSIGN_OR_RETURN(is_done_, Scrub(device));
    } else if (options_.preen && !options_.force) {
      BETR_ASSIGN_OR_RETURN(is_done_, WasClosedCleanly(device));
    }
    // Repairing what a replay leads to may take another round.
    for (int round = 0; round < kMaxRounds && !is_done_ && !is_cancelled_; ++round) {
      is_done_ = true;
      BETR_RETURN_IF_ERROR(CheckOnce(device, file));
    }
    return absl::OkStatus();
  }

  // Restores the superblocks from the copy. Without a valid one there is nothing to look at. If the copy is newer, all
  // that there is to look at is too old.
  absl::Status RestoreSuperblocks(WatchedDevice& device) {
    const absl::StatusOr<layout::NewestSuperblock> newest = layout::ReadNewest(device);
    absl::Status wrong = newest.ok() ? newest->other : newest.status();
    if (wrong.ok()) wrong = layout::CheckCopy(device, newest->superblock);
    BETR_RETURN_IF_ERROR(device.first_error());  // what could not be read need not be damaged
    if (!newest.ok()) {
      BeginPhase("search for a superblock");
      progress_.SetTotal(0, device.Size());
    }
    if (absl::IsInvalidArgument(wrong)) wrong = absl::DataLossError("superblock: neither slot holds one");
    const auto from = options_.yes ? layout::RestoreFrom::kAnyCopy : layout::RestoreFrom::kNewerCopy;
    BETR_ASSIGN_OR_RETURN(const std::string done, layout::RestoreSlots(device, from, [&](const std::string& why) {
                            losses_.Add(std::vector{store::LostLater(why)});
                          }));
    if (!done.empty()) {
      report_.Found({"store", "superblock", std::string(wrong.message())});
      report_.Repaired(done);
    }
    return absl::OkStatus();
  }

  absl::Status CheckOnce(WatchedDevice& device, BlockDevice& file) {
    BETR_ASSIGN_OR_RETURN(Findings findings, CheckStoreLevel(device));
    left_ = findings.size();
    if (options_.MayRepair() && !is_cancelled_ && !findings.empty()) {
      BETR_RETURN_IF_ERROR(device.first_error());  // what could not be read need not be damaged
      BETR_ASSIGN_OR_RETURN(findings, RepairStoreLevel(device, file, std::move(findings)));
    }
    left_ = findings.size();
    for (const store::Finding& finding : findings) {
      using Repair = store::Finding::Repair;
      if (finding.repair == Repair::kOlderSuperblock && options_.preen) {
        report_.Note("what may be an older state is not gone on with: -y does so, and what was synced later is lost");
      }
      if (finding.repair == Repair::kNone || finding.repair == Repair::kSuperblock ||
          finding.repair == Repair::kOlderSuperblock) {
        report_.Note("the file system is not checked: first the store must be whole");
        return absl::OkStatus();
      }
    }
    return is_cancelled_ ? absl::OkStatus() : CheckFileSystemLevel(device, file);
  }

  // Whether the image was closed cleanly: there is nothing to replay, what holds everything together is intact, and
  // whoever wrote last has ended. If that was a repair, it has put all files into their places.
  absl::StatusOr<bool> WasClosedCleanly(BlockDevice& device) {
    BETR_ASSIGN_OR_RETURN(const auto image, store::Inspection::Open(device, CacheSize()));
    bool has_findings = false;
    figures_ =
        store::CheckStore(*image, store::CheckDepth::kQuick, [&](const store::Finding&) { has_findings = true; });
    has_files_ = HasFileSystem(*image);
    const bool has_ended = image->superblock().log_opening != 0 && figures_.log_records == 0;
    was_quick_ = !has_findings && has_ended && !HasLostTrees(*image, device, CacheSize());
    return was_quick_;
  }

  // Returns whether there is nothing more to do: nothing was found, or nothing may be repaired.
  absl::StatusOr<bool> Scrub(BlockDevice& device) {
    BETR_ASSIGN_OR_RETURN(const auto image, store::Inspection::Open(device, CacheSize()));
    BeginPhase("check");
    bool has_findings = HasLostTrees(*image, device, CacheSize());
    if (has_findings && !options_.MayRepair()) {
      ++left_;
      report_.Found({"file system", "lost-tree", "a repair has found trees and did not put them into their places"});
    }
    const store::ReportFinding found = [&](const store::Finding& finding) {
      has_findings = true;
      if (!options_.MayRepair()) {
        ++left_;
        report_.Found({"store", finding.kind, finding.what});
      }
    };
    figures_ = store::CheckStore(*image, store::CheckDepth::kQuick, found);
    if (figures_.log_records == 0) has_files_ = HasFileSystem(*image);
    BeginPhase("scrub");
    progress_.SetTotal(0, figures_.used);
    BETR_ASSIGN_OR_RETURN(scrubbed_, store::ScrubStore(*image, found));
    was_scrub_ = true;
    return !has_findings || !options_.MayRepair();
  }

  // Reports only the first time. The second look is at what was repaired.
  absl::StatusOr<Findings> CheckStoreLevel(BlockDevice& device) {
    BETR_ASSIGN_OR_RETURN(const auto image, store::Inspection::Open(device, CacheSize()));
    BeginPhase(looks_ == 0 ? "check" : "check again");
    Findings findings;
    Bytes used{0};
    for (const store::UsedExtent& extent : image->extents()) used += extent.extent.Size();
    progress_.SetTotal(0, used);
    figures_ = store::CheckStore(*image, store::CheckDepth::kFull, [&](const store::Finding& finding) {
      if (is_cancelled_) return;
      findings.push_back(finding);
      if (looks_ == 0) report_.Found({"store", finding.kind, finding.what});
    });
    if (looks_ == 0 && figures_.is_log_torn) {
      report_.Note(
          "log: its last frame is not whole and is not replayed: so a crash leaves what was not synced, or damage");
    }
    ++looks_;
    return findings;
  }

  // Returns what is left.
  absl::StatusOr<Findings> RepairStoreLevel(BlockDevice& device, BlockDevice& file, Findings findings) {
    BeginPhase("repair");
    const auto act = [&](std::string_view action) { report_.Repaired(action); };
    const auto depth = options_.yes ? store::RepairDepth::kAll : store::RepairDepth::kSafe;
    const store::RepairOptions repair_options{.limits = LimitsFor(options_.lost_limit),
                                              .loses = [&](auto lost) { losses_.Add(lost); }};
    BETR_ASSIGN_OR_RETURN(store::ImageRepair repair,
                          store::RepairImage(device, CacheSize(), depth, std::move(findings), act, repair_options));
    if (repair.left.empty() && options_.yes) {
      BETR_RETURN_IF_ERROR(SettleSalvaged(file, CacheSize(), losses_, report_));
      BETR_ASSIGN_OR_RETURN(repair.left, CheckStoreLevel(device));
    }
    return std::move(repair.left);
  }

  // Returns limits for so many ranges. A range needs few ways, since most ways end at something that is lost.
  static store::SalvageLimits LimitsFor(uint64_t listed) {
    constexpr uint64_t kWaysPerRange = 10;
    return {.ways = listed * kWaysPerRange, .ranges = listed};
  }

  absl::Status CheckFileSystemLevel(BlockDevice& device, BlockDevice& file) {
    BeginPhase("check files");
    const FsckFsOptions fs_options{options_.MayRepair(), options_.yes, CacheSize(), figures_.log_records > 0};
    const absl::StatusOr<CheckedFiles> checked = CheckFiles(device, file, fs_options, is_cancelled_, report_);
    if (store::FailedLogRecord(checked.status())) return EndLog(file, checked.status());
    BETR_ASSIGN_OR_RETURN(const CheckedFiles files, checked);
    left_ += files.left;
    has_files_ = files.are_there;
    if (files.is_replay_bad && options_.yes) {
      report_.Repaired("log: replayed for good, to repair what it leads to");
      is_done_ = false;
      return ReplayForGood(file, CacheSize());
    }
    // A repair of the store alone has nothing more to write, so the image has to be ended cleanly here.
    const bool is_done = left_ == 0 && files.are_there && figures_.log_records == 0 && !is_cancelled_;
    return is_done && report_.repairs() > 0 ? EndCleanly(file, CacheSize()) : absl::OkStatus();
  }

  // For a record of the log that is sound, but that the state cannot take.
  absl::Status EndLog(BlockDevice& file, const absl::Status& status) {
    report_.Found({"store", "log", std::string(status.message())});
    if (!options_.yes) {
      ++left_;
      return absl::OkStatus();
    }
    is_done_ = false;
    return SettleSalvaged(file, CacheSize(), losses_, report_);
  }

  std::string Summary() const {
    return Outcome() + (losses_.HasDoubts() ? ", some of what is shown may be older" : "") +
           (losses_.IsComplete() ? "" : ", not all that is lost is listed");
  }

  std::string Outcome() const {
    const std::string_view end = is_cancelled_ ? "cancelled" : has_failed_ ? "not checked to the end" : "";
    const bool has_any = report_.errors() + report_.repairs() > 0;
    if (!end.empty() && !has_any) return std::string(end);
    if (!end.empty()) {
      return fmt::format("{} errors found, {} things repaired, {}", report_.errors(), report_.repairs(), end);
    }
    if (has_any) {
      return fmt::format("{} errors found, {} things {}, {} errors left", report_.errors(), report_.repairs(),
                         options_.dry_run ? "would be repaired" : "repaired", left_);
    }
    if (was_scrub_) {
      return fmt::format("clean{}, {} in {} extents with {} blocks read and verified", OfNoFiles(),
                         FormatSize(scrubbed_.read), scrubbed_.extents, scrubbed_.blocks);
    }
    return fmt::format(
        "clean{}{}, {} nodes ({} dead), {} trees, {} in use{}", was_quick_ ? " (not looked at closely)" : "",
        OfNoFiles(), figures_.nodes, figures_.dead_nodes, figures_.trees, FormatSize(figures_.used),
        figures_.log_records == 0 ? "" : fmt::format(", {} log records to replay", figures_.log_records));
  }

  // Keeps somebody who expects files from taking this for a clean file system.
  std::string_view OfNoFiles() const { return has_files_.value_or(true) ? "" : ", but without a file system"; }

  void Finish() {
    const bool has_repaired = report_.repairs() > 0;
    exit_ |= has_repaired && !options_.dry_run ? kFsckCorrected : 0;
    // What was found may be left if the check has ended before another look.
    const bool may_be_left = left_ > 0 || ((has_failed_ || is_cancelled_) && report_.errors() > 0);
    exit_ |= may_be_left || (has_repaired && options_.dry_run) ? kFsckUncorrected : 0;
    exit_ |= is_cancelled_ ? kFsckCancelled : 0;
    exit_ |= losses_.IsComplete() ? 0 : kFsckOperational;
    if (!losses_.IsComplete()) {
      report_.Note(fmt::format("not all that is lost is listed: --lost-limit {} lists ten times as much",
                               10 * options_.lost_limit));
    }
    Json figures = Json::object();
    figures["nodes"] = figures_.nodes;
    figures["dead_nodes"] = figures_.dead_nodes;
    figures["table_pages"] = figures_.table_pages;
    figures["trees"] = figures_.trees;
    figures["log_records"] = figures_.log_records;
    figures["has_file_system"] = has_files_ ? Json(*has_files_) : Json();
    figures["used_bytes"] = figures_.used.value;
    if (was_scrub_) {
      figures["scrubbed_bytes"] = scrubbed_.read.value;
      figures["scrubbed_blocks"] = scrubbed_.blocks;
    }
    report_.Finish(options_.image, {Summary(), exit_, error_, losses_.IsComplete() && !losses_.HasDoubts()}, figures);
  }

  static constexpr int kMaxRounds = 3;

  Tool& tool_;
  const FsckOptions& options_;
  const std::atomic<bool>& is_cancelled_;
  Progress progress_;
  Bytes read_{0};
  Bytes read_before_{0};
  FsckReport report_;
  FsckLosses losses_;
  store::CheckFigures figures_;
  store::ScrubFigures scrubbed_;
  int looks_ = 0;
  std::optional<bool> has_files_;  // if that is known
  bool was_quick_ = false;
  bool was_scrub_ = false;
  bool is_done_ = false;
  bool has_failed_ = false;
  std::string error_;  // why
  uint64_t left_ = 0;
  int exit_ = kFsckClean;
};

int ParseAndRun(Arguments args, ToolIo& io, absl::FunctionRef<int(Tool&, const FsckOptions&)> run) {
  Tool tool(FsckDescription(), io);
  FsckOptions options;
  AddFsckOptions(tool, &options);
  if (const auto exit = tool.Parse(args)) return *exit;
  if (options.dry_run && !options.MayRepair()) return tool.UsageError("--dry-run: wants -p or -y");
  if (!options.undo.empty() && !options.MayRepair()) return tool.UsageError("--undo: wants -p or -y");
  const int found = run(tool, options);
  return found | tool.Finish(kFsckClean);
}

}  // namespace

int FsckMain(Arguments args, ToolIo& io, const std::atomic<bool>& is_cancelled) {
  return ParseAndRun(args, io, [&](Tool& tool, const FsckOptions& options) {
    // Whoever reads the output may stop after the first lines, as head(1) does. That must not end a repair halfway.
    if (options.MayRepair() && !options.dry_run) std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail
    return options.undo_apply.empty() ? FsckRun(tool, options, is_cancelled).Run() : ApplyUndo(tool, options);
  });
}

int FsckDeviceMain(Arguments args, ToolIo& io, const std::atomic<bool>& is_cancelled, BlockDevice& device) {
  return ParseAndRun(args, io, [&](Tool& tool, const FsckOptions& options) {
    return FsckRun(tool, options, is_cancelled).RunOn(device);
  });
}

}  // namespace betr::tools
