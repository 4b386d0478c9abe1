// SPDX-License-Identifier: Apache-2.0
#include "store/offline/repair_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/status.h"
#include "betr/store.h"
#include "layout/superblock_copy.h"
#include "layout/superblock_slots.h"
#include "store/batch_codec.h"
#include "store/borrowed_device.h"
#include "store/failed_record.h"
#include "store/offline/image_checkpoint.h"
#include "store/offline/log_losses.h"
#include "store/offline/repair_store.h"

namespace betr::store {
namespace {

// One round makes an image sound. Further ones are for what shows only after the first.
constexpr int kMaxRounds = 4;

using Act = absl::FunctionRef<void(std::string_view)>;

bool HasKind(const std::vector<Finding>& findings, std::string_view kind) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.kind == kind; });
}

const Finding* FindOlder(const std::vector<Finding>& findings) {
  const auto is_older = [](const Finding& finding) { return finding.repair == Finding::Repair::kOlderSuperblock; };
  const auto found = std::find_if(findings.begin(), findings.end(), is_older);
  return found == findings.end() ? nullptr : &*found;
}

template <class T>
void Append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

class Repair {
 public:
  Repair(BlockDevice& device, Bytes cache_size, Act act, const RepairOptions& options)
      : device_(device), cache_size_(cache_size), act_(act), options_(options) {}

  absl::StatusOr<std::vector<Finding>> Look() {
    BETR_ASSIGN_OR_RETURN(const auto image, Inspection::Open(device_, cache_size_));
    std::vector<Finding> findings;
    CheckStore(*image, CheckDepth::kFull, [&](const Finding& finding) { findings.push_back(finding); });
    return findings;
  }

  // Restores slots that have an older state than the copy. Returns whether they had. If so, all findings are of that
  // older state.
  absl::StatusOr<bool> Slots() {
    BETR_ASSIGN_OR_RETURN(const std::string action, layout::RestoreSlots(device_, layout::RestoreFrom::kNewerCopy, {}));
    if (!action.empty()) Tell(action);
    return !action.empty();
  }

  // Notes what is lost by going on with a state that may not be the newest.
  void LoseLater(const Finding& older) {
    std::vector<LostRange> lost{LostLater(older.what)};
    if (options_.loses != nullptr) options_.loses(lost);
    Append(result_.salvaged.lost, lost);
  }

  absl::Status Safely(const std::vector<Finding>& findings) {
    BETR_ASSIGN_OR_RETURN(const auto image, Inspection::Open(device_, cache_size_));
    BETR_RETURN_IF_ERROR(RepairStore(*image, findings));
    std::string last;  // one action may mend several findings
    for (const Finding& finding : findings) {
      if (std::string action = DescribeRepair(finding); action != last) {
        Tell(action);
        last = std::move(action);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Log() {
    BETR_ASSIGN_OR_RETURN(const auto image, Inspection::Open(device_, cache_size_));
    BETR_ASSIGN_OR_RETURN(MendedLog log, MendLog(*image, std::nullopt, options_.loses));
    Tell(fmt::format("log: ends before the damage: {} frames with {} records are not replayed", log.cut.frames,
                     log.cut.records));
    Append(result_.salvaged.lost, log.lost);
    return absl::OkStatus();
  }

  absl::Status Salvage() {
    BETR_ASSIGN_OR_RETURN(const auto image, Inspection::Open(device_, cache_size_));
    BETR_ASSIGN_OR_RETURN(Salvaged salvaged, SalvageStore(*image, options_.limits, options_.loses));
    for (const std::string& action : salvaged.actions) Tell(action);
    Tell(fmt::format("store: {} nodes kept, {} lost", salvaged.nodes_kept, salvaged.nodes_lost));
    Salvaged& all = result_.salvaged;
    Append(all.lost, salvaged.lost);
    Append(all.lost_trees, salvaged.lost_trees);
    all.nodes_kept = salvaged.nodes_kept;
    all.nodes_lost += salvaged.nodes_lost;
    return absl::OkStatus();
  }

  ImageRepair& result() { return result_; }

 private:
  void Tell(std::string_view action) {
    ++result_.actions;
    act_(action);
  }

  BlockDevice& device_;
  const Bytes cache_size_;
  Act act_;
  const RepairOptions& options_;
  ImageRepair result_;
};

}  // namespace

absl::StatusOr<ImageRepair> RepairImage(BlockDevice& device, Bytes cache_size, RepairDepth depth,
                                        std::vector<Finding> findings, Act act, const RepairOptions& options) {
  BETR_ASSIGN_OR_RETURN(const layout::NewestSuperblock newest, layout::ReadNewest(device));
  BETR_RETURN_IF_ERROR(newest.superblock.CheckWritable());
  Repair repair(device, cache_size, act, options);
  BETR_ASSIGN_OR_RETURN(const bool is_newer, repair.Slots());
  if (is_newer) {
    BETR_ASSIGN_OR_RETURN(findings, repair.Look());
  }
  if (const Finding* older = FindOlder(findings)) {
    if (depth == RepairDepth::kSafe) {
      repair.result().left = std::move(findings);
      return std::move(repair.result());
    }
    repair.LoseLater(*older);
  }
  for (int round = 0; round < kMaxRounds && !findings.empty(); ++round) {
    if (Repairable(findings)) {
      BETR_RETURN_IF_ERROR(repair.Safely(findings));
    } else if (depth == RepairDepth::kSafe) {
      break;
    } else if (HasKind(findings, "log")) {
      BETR_RETURN_IF_ERROR(repair.Log());
    } else {
      BETR_RETURN_IF_ERROR(repair.Salvage());
    }
    BETR_ASSIGN_OR_RETURN(findings, repair.Look());
  }
  repair.result().left = std::move(findings);
  return std::move(repair.result());
}

absl::StatusOr<MendedLog> MendLog(Inspection& image, std::optional<Lsn> bad, const TellLosses& loses) {
  BETR_RETURN_IF_ERROR(image.superblock().CheckWritable());
  const auto replay = [&](Lsn lsn, std::string_view payload) {
    return bad && lsn >= *bad ? absl::DataLossError("as told") : DecodeBatch(payload).status();
  };
  const absl::Status opened =
      Log::Open(image.device(), image.log_area(), image.log_salt(), image.log_start(), replay).status();
  if (opened.ok() || !absl::IsDataLoss(opened)) return opened.ok() ? absl::StatusOr<MendedLog>(MendedLog{}) : opened;
  BETR_ASSIGN_OR_RETURN(const uint64_t end,
                        Log::SoundEnd(image.device(), image.log_area(), image.log_salt(), image.log_start(), replay));
  MendedLog mended;
  BETR_ASSIGN_OR_RETURN(mended.lost, FindLogLosses(image, end));
  BETR_RETURN_IF_ERROR(image.ReadError());
  if (loses != nullptr && !mended.lost.empty()) loses(mended.lost);
  // Makes the checkpoint durable, since the state before it may need what is cut.
  BETR_RETURN_IF_ERROR(ConfirmCheckpoint(image));
  BETR_ASSIGN_OR_RETURN(mended.cut,
                        CutLog(image.device(), image.log_area(), image.log_salt(), image.log_start().position, end));
  return mended;
}

absl::StatusOr<MendedLog> MendReplay(BlockDevice& device, StoreOptions options, const TellLosses& loses) {
  const Bytes cache_size = options.cache_size;
  options.read_only = true;
  options.background = false;
  const absl::Status opened = betr::Store::Open(std::make_unique<BorrowedDevice>(device), std::move(options)).status();
  const std::optional<Lsn> bad = FailedLogRecord(opened);
  if (!bad) return opened.ok() ? absl::StatusOr<MendedLog>(MendedLog{}) : opened;
  BETR_ASSIGN_OR_RETURN(const auto image, Inspection::Open(device, cache_size));
  return MendLog(*image, bad, loses);
}

}  // namespace betr::store
