// SPDX-License-Identifier: Apache-2.0
#include "fsck.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/size_text.h"
#include "base/status.h"
#include "fsck_device.h"
#include "fsck_fs.h"
#include "fsck_options.h"
#include "fsck_report.h"
#include "store/repair_store.h"

namespace betr::tools {
namespace {

class FsckRun {
 public:
  FsckRun(Tool& tool, const FsckOptions& options, const std::atomic<bool>& is_cancelled)
      : tool_(tool),
        options_(options),
        is_cancelled_(is_cancelled),
        progress_(tool, "nodes"),
        report_(tool, progress_) {}

  int Run() {
    const FsckAccess access = options_.MayRepair() ? FsckAccess::kRepair : FsckAccess::kLook;
    absl::StatusOr<std::unique_ptr<FileDevice>> file = OpenLocked(options_.image, access);
    if (!file.ok()) {
      tool_.PrintError("open: " + std::string(file.status().message()));
      return absl::IsDataLoss(file.status()) ? kFsckUncorrected : kFsckOperational;
    }
    absl::Status status = Check(**file);
    if (!status.ok() && !is_cancelled_) {
      progress_.Clear();
      tool_.PrintError(options_.image + ": " + std::string(status.message()));
      exit_ |= absl::IsDataLoss(status) ? kFsckUncorrected : kFsckOperational;
    }
    Finish();
    return exit_;
  }

 private:
  using Findings = std::vector<store::Finding>;

  Bytes CacheSize() const { return options_.cache_size.value > 0 ? options_.cache_size : MiB(256); }

  absl::Status Check(FileDevice& file) {
    WatchedDevice device(file, is_cancelled_, [&](Bytes so_far) { progress_.Update(0, so_far); });
    absl::Status status = CheckLevels(device, file);
    if (status.ok() && !device.first_error().ok()) {
      status = device.first_error();
    }
    return status;
  }

  // The store first: the file system is only looked at where it can be read.
  absl::Status CheckLevels(BlockDevice& device, FileDevice& file) {
    if (options_.preen && !options_.force) {
      BETR_ASSIGN_OR_RETURN(const bool was_closed, WasClosedCleanly(device));
      if (was_closed) {
        return absl::OkStatus();
      }
    }
    BETR_ASSIGN_OR_RETURN(Findings findings, CheckStoreLevel(device));
    if (options_.MayRepair() && !is_cancelled_ && store::Repairable(findings)) {
      BETR_RETURN_IF_ERROR(RepairStoreLevel(file, findings));
      BETR_ASSIGN_OR_RETURN(findings, CheckStoreLevel(device));
      left_ = 0;
      for (const store::Finding& finding : findings) {
        left_ += finding.is_harmless ? 0 : 1;
      }
    }
    for (const store::Finding& finding : findings) {
      if (finding.repair == store::Finding::Repair::kNone || finding.repair == store::Finding::Repair::kSuperblock) {
        report_.Note("the file system is not checked: first the store must be whole");
        return absl::OkStatus();
      }
    }
    return is_cancelled_ ? absl::OkStatus() : CheckFileSystemLevel(device, file);
  }

  // Nothing to replay, and what holds everything together is intact.
  absl::StatusOr<bool> WasClosedCleanly(BlockDevice& device) {
    BETR_ASSIGN_OR_RETURN(const auto image, store::Inspection::Open(device, CacheSize()));
    bool has_findings = false;
    figures_ =
        store::CheckStore(*image, store::CheckDepth::kQuick, [&](const store::Finding&) { has_findings = true; });
    was_quick_ = !has_findings && figures_.log_records == 0;
    return was_quick_;
  }

  // Reports only the first time: the second look is at what was repaired.
  absl::StatusOr<Findings> CheckStoreLevel(BlockDevice& device) {
    BETR_ASSIGN_OR_RETURN(const auto image, store::Inspection::Open(device, CacheSize()));
    progress_.Begin(looks_ == 0 ? "check" : "check again");
    Findings findings;
    Bytes used{0};
    for (const store::UsedExtent& extent : image->extents()) {
      used += extent.extent.Size();
    }
    progress_.SetTotal(0, used);
    figures_ = store::CheckStore(*image, store::CheckDepth::kFull, [&](const store::Finding& finding) {
      if (is_cancelled_) {
        return;
      }
      findings.push_back(finding);
      if (looks_ == 0) {
        left_ += finding.is_harmless ? 0 : 1;
        report_.Found({"store", finding.kind, finding.what, finding.is_harmless});
      }
    });
    ++looks_;
    return findings;
  }

  absl::Status RepairStoreLevel(FileDevice& file, const Findings& findings) {
    BETR_ASSIGN_OR_RETURN(const auto image, store::Inspection::Open(file, CacheSize()));
    BETR_RETURN_IF_ERROR(store::RepairStore(*image, findings));
    for (const store::Finding& finding : findings) {
      report_.Repaired(store::DescribeRepair(finding));
    }
    return absl::OkStatus();
  }

  absl::Status CheckFileSystemLevel(BlockDevice& device, FileDevice& file) {
    progress_.Begin("check files");
    const FsckFsOptions fs_options{options_.MayRepair(), CacheSize(), figures_.log_records > 0};
    BETR_ASSIGN_OR_RETURN(const uint64_t left, CheckFiles(device, file, fs_options, is_cancelled_, report_));
    left_ += left;
    return absl::OkStatus();
  }

  std::string Summary() const {
    if (is_cancelled_) {
      return "cancelled";
    }
    if (report_.errors() + report_.repairs() > 0) {
      return fmt::format("{} errors found, {} things repaired, {} errors left", report_.errors(), report_.repairs(),
                         left_);
    }
    return fmt::format(
        "clean{}, {} nodes ({} dead), {} trees, {} in use{}", was_quick_ ? " (not looked at closely)" : "",
        figures_.nodes, figures_.dead_nodes, figures_.trees, FormatSize(figures_.used),
        figures_.log_records == 0 ? "" : fmt::format(", {} log records to replay", figures_.log_records));
  }

  void Finish() {
    exit_ |= report_.repairs() > 0 ? kFsckCorrected : 0;
    exit_ |= left_ > 0 ? kFsckUncorrected : 0;
    exit_ |= is_cancelled_ ? kFsckCancelled : 0;
    Json figures = Json::object();
    figures["nodes"] = figures_.nodes;
    figures["dead_nodes"] = figures_.dead_nodes;
    figures["table_pages"] = figures_.table_pages;
    figures["trees"] = figures_.trees;
    figures["log_records"] = figures_.log_records;
    figures["used_bytes"] = figures_.used.value;
    report_.Finish(options_.image, Summary(), exit_, figures);
  }

  Tool& tool_;
  const FsckOptions& options_;
  const std::atomic<bool>& is_cancelled_;
  Progress progress_;
  FsckReport report_;
  store::CheckFigures figures_;
  int looks_ = 0;
  bool was_quick_ = false;
  uint64_t left_ = 0;
  int exit_ = kFsckClean;
};

}  // namespace

int FsckMain(Arguments args, ToolIo& io, const std::atomic<bool>& is_cancelled) {
  Tool tool(FsckDescription(), io);
  FsckOptions options;
  AddFsckOptions(tool, &options);
  if (const auto exit = tool.Parse(args)) return *exit;
  return FsckRun(tool, options, is_cancelled).Run();
}

}  // namespace betr::tools
