// SPDX-License-Identifier: Apache-2.0
#include "support/torture/verify.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/escape.h"
#include "base/status.h"
#include "store/impl.h"
#include "store/offline/inspect.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

absl::StatusOr<uint64_t> EntriesOf(Cursor& cursor) {
  uint64_t entries = 0;
  std::string last;
  bool first = true;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    if (!first && cursor.Key() <= last) {
      return Finding(fmt::format("a cursor goes from \"{}\" to \"{}\"", Escape(last), Escape(cursor.Key())));
    }
    first = false;
    last = cursor.Key();
    entries += EntryDigest(cursor.Key(), cursor.Value());
  }
  BETR_RETURN_IF_ERROR(cursor.status());
  return entries;
}

std::string DifferenceOfTree(Store& store, TreeId id, const Contents& expected) {
  const auto cursor = store.NewCursor(id);
  if (!cursor.ok()) return std::string(cursor.status().message());
  auto next = expected.begin();
  for ((*cursor)->SeekToFirst(); (*cursor)->Valid() && next != expected.end(); (*cursor)->Next(), ++next) {
    if ((*cursor)->Key() != next->first || (*cursor)->Value() != next->second) break;
  }
  const std::string found = (*cursor)->Valid() ? Escape((*cursor)->Key()) + " = " + Escape((*cursor)->Value()) : "end";
  const std::string wanted = next == expected.end() ? "end" : Escape(next->first) + " = " + Escape(next->second);
  return found == wanted ? "" : fmt::format("tree {}: found {}, expected {}", id.value, found, wanted);
}

}  // namespace

absl::Status Finding(std::string what) { return absl::InternalError(std::move(what)); }

absl::StatusOr<uint64_t> DigestOf(Store& store, const std::shared_ptr<const ReadView>& view) {
  uint64_t digest = view->view().state->next_tree.value;  // so that trees that came and went make a difference
  for (const auto& [id, tree] : view->view().state->trees) {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, store.NewCursor(view, id));
    BETR_ASSIGN_OR_RETURN(const uint64_t entries, EntriesOf(*cursor));
    digest += TreeDigest(id, tree.name, tree.snapshot, entries);
  }
  return digest;
}

absl::Status CheckOpenStore(Store& store) {
  std::string findings;
  bool can_be_read = true;
  bool is_sound = true;
  store::CheckState(*store.impl().fronts().state(), [&](const store::Finding& finding) {
    findings += finding.what + "; ";
    (finding.kind == "unreadable" ? can_be_read : is_sound) = false;
  });
  if (findings.find("Input/output error") != std::string::npos) {
    return absl::UnavailableError(findings);  // the device's, not the store's
  }
  if (!can_be_read && is_sound) return absl::DataLossError("the checker finds in memory: " + findings);
  return findings.empty() ? absl::OkStatus() : Finding("the checker finds in memory: " + findings);
}

absl::Status CheckStored(BlockDevice& device) {
  BETR_ASSIGN_OR_RETURN(const std::vector<store::Finding> findings, CheckImage(device));
  std::string text;
  for (const store::Finding& finding : findings) {
    text += finding.what + "; ";
  }
  return text.empty() ? absl::OkStatus() : Finding("the checker finds on disk: " + text);
}

absl::Status CheckSpace(Store& store, BlockDevice& device) {
  BETR_RETURN_IF_ERROR(store.Checkpoint());
  BETR_ASSIGN_OR_RETURN(const auto image, store::Inspection::Open(device, KiB(64)));
  Bytes used{0};
  for (const store::UsedExtent& extent : image->extents()) used += extent.extent.Size();
  const SpaceStats space = store.Space();
  if (space.free + used != space.total) {
    return Finding(fmt::format("space: {} bytes of {} are free, but {} are used", space.free.value, space.total.value,
                               used.value));
  }
  return absl::OkStatus();
}

std::string Difference(Store& store, const Model& model) {
  for (const auto& [id, tree] : model.trees()) {
    const std::string difference = DifferenceOfTree(store, id, *tree.contents);
    if (!difference.empty()) return difference;
  }
  return fmt::format("{} trees, expected {}", store.Trees().size(), model.trees().size());
}

}  // namespace betr::test
