// SPDX-License-Identifier: Apache-2.0
// Makes, opens and replays a log.
#include <absl/strings/str_format.h>

#include <algorithm>

#include "base/status.h"
#include "store/log/log.h"
#include "store/log/log_scan.h"

namespace betr::store {
namespace {

// Passes on the records that the checkpoint does not have, and checks that none is missing.
class Replayer {
 public:
  Replayer(Lsn checkpoint, const Log::Replay& replay) : checkpoint_(checkpoint), replay_(replay) {}

  absl::Status Visit(const LogScanner& scanner) {
    if (scanner.header().record_count == 0) return Damage(scanner, "a frame without records");
    bool is_first = true;
    return scanner.ForEachRecord([&](const LogRecord& record) {
      if (is_first && record.lsn != scanner.header().first_lsn) {
        return Damage(scanner, "not the record that it announces");
      }
      is_first = false;
      return Visit(scanner, record);
    });
  }

  Lsn Last() const { return std::max(last_, checkpoint_); }

 private:
  // Up to the checkpoint's LSN, records may be missing after a crash: the checkpoint has them. Behind it none may be
  // missing.
  absl::Status Visit(const LogScanner& scanner, const LogRecord& record) {
    const bool is_new = record.lsn > checkpoint_;
    if (is_new ? record.lsn != Last().Next() : record.lsn <= last_) {
      return Damage(scanner, absl::StrFormat("record %u does not follow record %u", record.lsn.value, Last().value));
    }
    last_ = record.lsn;
    return is_new ? replay_(record.lsn, record.payload) : absl::OkStatus();
  }

  static absl::Status Damage(const LogScanner& scanner, std::string_view what) {
    return absl::DataLossError(absl::StrFormat("%s: %s", scanner.Place(scanner.header().position.sequence), what));
  }

  const Lsn checkpoint_;
  const Log::Replay& replay_;
  Lsn last_;  // of any record; 0 before the first
};

}  // namespace

absl::Status Log::Format(BlockDevice& device, const LogArea& area, uint64_t salt) {
  BETR_RETURN_IF_ERROR(CheckLogArea(device, area));
  const std::string zeros(kBlockSize.value, '\0');
  std::string chunk;
  for (uint64_t block = 0; block < area.Blocks();) {
    const uint64_t blocks = std::min(kFrameTarget / kBlockSize, area.Blocks() - block);
    chunk.resize((kBlockSize * blocks).value);
    BETR_RETURN_IF_ERROR(ReadLogBlocks(device, area, block, chunk));
    for (uint64_t i = 0; i < blocks; ++i) {
      const auto header = LoadFrameHeader(std::string_view(chunk).substr((kBlockSize * i).value));
      if (!header || header->salt != salt) continue;
      BETR_RETURN_IF_ERROR(WriteLogBlocks(device, area, block + i, zeros));
    }
    block += blocks;
  }
  return absl::OkStatus();
}

absl::StatusOr<Log::Recovered> Log::Recover(BlockDevice& device, const LogArea& area, uint64_t salt,
                                            const Checkpoint& from, const Replay& replay) {
  LogScanner scanner(device, area, salt, from.position);
  if (from.opening > 0) {
    BETR_ASSIGN_OR_RETURN(const bool goes_on, scanner.GoesOn());
    if (!goes_on) return Recovered{from.position, from.opening, false, from.lsn};
  }
  Replayer replayer(from.lsn, replay);
  while (true) {
    BETR_ASSIGN_OR_RETURN(const bool has_frame, scanner.Next());
    if (!has_frame) return Recovered{scanner.position(), scanner.opening(), scanner.is_torn(), replayer.Last()};
    BETR_RETURN_IF_ERROR(replayer.Visit(scanner));
  }
}

absl::StatusOr<uint64_t> Log::SoundEnd(BlockDevice& device, const LogArea& area, uint64_t salt, const Checkpoint& from,
                                       const Replay& replay) {
  BETR_RETURN_IF_ERROR(CheckLogArea(device, area));
  LogScanner scanner(device, area, salt, from.position);
  Replayer replayer(from.lsn, replay);
  uint64_t end = from.position.sequence;
  while (true) {
    const absl::StatusOr<bool> has_frame = scanner.Next();
    if (absl::IsDataLoss(has_frame.status())) return end;
    BETR_RETURN_IF_ERROR(has_frame.status());
    if (!*has_frame || !replayer.Visit(scanner).ok()) return end;
    end = scanner.position().sequence;
  }
}

absl::StatusOr<std::unique_ptr<Log>> Log::Open(BlockDevice& device, const LogArea& area, uint64_t salt,
                                               const Checkpoint& from, const Replay& replay) {
  BETR_RETURN_IF_ERROR(CheckLogArea(device, area));
  BETR_ASSIGN_OR_RETURN(const Recovered recovered, Recover(device, area, salt, from, replay));
  return std::unique_ptr<Log>(new Log(device, area, salt, from, recovered));
}

}  // namespace betr::store
