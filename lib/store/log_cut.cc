// SPDX-License-Identifier: Apache-2.0
#include "store/log_cut.h"

#include <optional>
#include <string>

#include "base/status.h"

namespace betr::store {
namespace {

// The number of the frame with which the log shall end.
absl::StatusOr<uint64_t> EndOf(LogScanner& scanner, const LogPosition& start, Lsn from) {
  uint64_t end = start.sequence;
  while (true) {
    const absl::StatusOr<bool> has_frame = scanner.Next();
    if (absl::IsDataLoss(has_frame.status()) || (has_frame.ok() && !*has_frame)) {
      return end;
    }
    BETR_RETURN_IF_ERROR(has_frame.status());
    Lsn last = scanner.header().first_lsn;
    const absl::Status read = scanner.ForEachRecord([&](const LogRecord& record) {
      last = record.lsn;
      return absl::OkStatus();
    });
    if (!read.ok() || last >= from || scanner.header().record_count == 0) {
      return end;
    }
    end = scanner.position().sequence;
  }
}

}  // namespace

absl::StatusOr<LogCut> CutLog(BlockDevice& device, const LogArea& area, uint64_t salt, const LogPosition& start,
                              Lsn from) {
  LogScanner scanner(device, area, salt, start);
  BETR_ASSIGN_OR_RETURN(const uint64_t end, EndOf(scanner, start, from));
  LogCut cut;
  const std::string zeros(kBlockSize.value, '\0');
  std::string block(kBlockSize.value, '\0');
  for (uint64_t i = 0; i < area.Blocks(); ++i) {
    BETR_RETURN_IF_ERROR(ReadLogBlocks(device, area, i, block));
    const std::optional<FrameHeader> header = LoadFrameHeader(block);
    if (!header || header->salt != salt || header->position.sequence < end) {
      continue;
    }
    ++cut.frames;
    cut.records += header->record_count;
    BETR_RETURN_IF_ERROR(WriteLogBlocks(device, area, i, zeros));
  }
  BETR_RETURN_IF_ERROR(device.Flush());
  return cut;
}

}  // namespace betr::store
