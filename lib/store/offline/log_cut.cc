// SPDX-License-Identifier: Apache-2.0
#include "store/offline/log_cut.h"

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace betr::store {

absl::StatusOr<LogCut> CutLog(BlockDevice& device, const LogArea& area, uint64_t salt, const LogPosition& start,
                              uint64_t end) {
  LogCut cut;
  std::vector<uint64_t> erased;
  std::string block(kBlockSize.value, '\0');
  // Looks at all blocks except those that replaying reads. Old frames there are not needed, and what they say may be
  // damaged too.
  for (uint64_t sequence = end; sequence < start.sequence + area.Blocks(); ++sequence) {
    BETR_RETURN_IF_ERROR(ReadLogBlocks(device, area, sequence, block));
    const std::optional<FrameHeader> header = LoadFrameHeader(block);
    if (!header || header->salt != salt) continue;
    cut.frames += header->position.sequence >= end ? 1 : 0;
    cut.records += header->position.sequence >= end ? header->record_count : 0;
    erased.push_back(sequence);
  }
  const std::string zeros(kBlockSize.value, '\0');
  for (const uint64_t sequence : erased) BETR_RETURN_IF_ERROR(WriteLogBlocks(device, area, sequence, zeros));
  BETR_RETURN_IF_ERROR(device.Flush());
  return cut;
}

}  // namespace betr::store
