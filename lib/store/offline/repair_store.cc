// SPDX-License-Identifier: Apache-2.0
#include "store/offline/repair_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "base/status.h"
#include "store/offline/image_checkpoint.h"

namespace betr::store {
namespace {

// Mends the table for one finding. The table is of a state that nobody else sees.
void Mend(const Finding& finding, dag::NodeTable& table) {
  const dag::NodeRecord* found = table.Find(finding.node);
  if (finding.repair == Finding::Repair::kReferences && found != nullptr) {
    dag::NodeRecord record = *found;
    record.references = finding.references;
    table.Set(finding.node, std::move(record));
  } else if (finding.repair == Finding::Repair::kRemove && found != nullptr) {
    table.Remove(finding.node);
  }
}

}  // namespace

bool Repairable(std::span<const Finding> findings) {
  const auto is_fatal = [](const Finding& finding) { return finding.repair == Finding::Repair::kNone; };
  return !findings.empty() && std::none_of(findings.begin(), findings.end(), is_fatal);
}

std::string DescribeRepair(const Finding& finding) {
  switch (finding.repair) {
    case Finding::Repair::kReferences:
      return fmt::format("node {}: the reference count is now {}", finding.node.value, finding.references);
    case Finding::Repair::kRemove:
      return fmt::format("node {}: removed from the node table", finding.node.value);
    case Finding::Repair::kSuperblock:
    case Finding::Repair::kOlderSuperblock:
      return "superblock: both slots are intact and the copy is, the state is that of the one that was";
    case Finding::Repair::kCatalog:
      return "catalog: both copies are intact";
    case Finding::Repair::kNone:
      break;
  }
  return finding.what + ": not repaired";
}

absl::Status RepairStore(Inspection& image, std::span<const Finding> findings) {
  Check(Repairable(findings), "only what needs no guessing is repaired");
  if (!image.problems().empty()) {
    return image.problems().front().status;  // it could be read when the findings were made
  }
  BETR_RETURN_IF_ERROR(image.ReadError());
  BETR_RETURN_IF_ERROR(image.superblock().CheckWritable());
  auto mended = std::make_shared<State>(*image.state());
  mended->table.StartChanging();
  for (const Finding& finding : findings) Mend(finding, mended->table);
  return WriteCheckpoint(image, std::move(mended), image.catalog());
}

}  // namespace betr::store
