// SPDX-License-Identifier: Apache-2.0
#include "support/ace/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "base/status.h"
#include "fs/check/check.h"
#include "support/torture/verify.h"

namespace betr::ace {
namespace {

constexpr std::chrono::seconds kLater{1'100'000'000};  // after any workload
constexpr size_t kMaxAgain = 4;
constexpr char kFresh[] = "fresh";
// A leaf that is not full keeps what its edge does not show any more until it is written anew.
constexpr Bytes kSlack = KiB(24);

}  // namespace

Recovery::Recovery(const Ground& ground, MemoryDevice& image)
    : ground_(ground), clock_(kLater), image_(image), recorder_(image, image.Pages()) {}

absl::Status Recovery::CheckFiles(Store* store, Leftovers leftovers) {
  std::string findings;
  const auto summary = fs::CheckFileSystem(store, {}, [&](const fs::CheckFinding& finding) {
    if (!finding.harmless || leftovers == Leftovers::kFound) {
      findings += fmt::format("{} /{}: {}; ", fs::CheckCodeName(finding.code), finding.path, finding.what);
    }
  });
  BETR_RETURN_IF_ERROR(Annotate(summary.status(), "the checker of the file system"));
  return findings.empty() ? absl::OkStatus() : test::Finding("the checker of the file system finds: " + findings);
}

absl::StatusOr<Survey> Recovery::Recover() {
  absl::StatusOr<std::unique_ptr<Store>> store = ground_.Open(recorder_);
  BETR_RETURN_IF_ERROR(Annotate(store.status(), "the store does not open"));
  BETR_RETURN_IF_ERROR(test::CheckOpenStore(**store));
  BETR_RETURN_IF_ERROR(CheckFiles(store->get(), Leftovers::kAllowed));
  absl::StatusOr<std::unique_ptr<FileSystem>> fs = Ground::Mount(*std::move(store), clock_);
  BETR_RETURN_IF_ERROR(Annotate(fs.status(), "the file system cannot be mounted"));
  fs_ = *std::move(fs);
  return TakeSurvey(*fs_);
}

absl::StatusOr<uint64_t> Recovery::RecoverAgain(const Model& state, Random& random) {
  const WriteHistory& history = recorder_.History();
  const size_t events = history.EventCount();
  std::set<size_t> crashes{0, events};
  while (crashes.size() < std::min(kMaxAgain, events + 1)) crashes.insert(random.Uniform(events + 1));
  for (const size_t after : crashes) {
    const std::unique_ptr<MemoryDevice> image = history.CrashImage(history.PrefixPlan(after));
    Recovery next(ground_, *image);
    const absl::StatusOr<Survey> survey = next.Recover();
    const std::string place = fmt::format("a recovery after {} of {} writes of a recovery", after, events);
    BETR_RETURN_IF_ERROR(Annotate(survey.status(), place));
    if (const std::string difference = DifferenceOf(*survey, state); !difference.empty()) {
      return test::Finding(place + ": another state: " + difference);
    }
  }
  return crashes.size();
}

absl::Status Recovery::CheckWrites(const Survey& survey) {
  PathFileSystem paths(fs_.get());
  for (const auto& [path, seen] : survey) {
    if (seen.attributes.type == FileType::kDirectory) {
      const absl::StatusOr<OpenFile> made = paths.Create(path + "/" + kFresh, NewFile{});
      BETR_RETURN_IF_ERROR(Annotate(made.status(), "a new file after recovery"));
      for (const auto& [other, old] : survey) {
        if (old.attributes.inode_number == made->attributes().inode_number) {
          return test::Finding(fmt::format("a new file has the inode number of /{}", other));
        }
      }
    }
  }
  return Annotate(DeleteBelow(kRootInode), "deleting everything after recovery");
}

absl::Status Recovery::DeleteBelow(InodeId directory) {
  BETR_ASSIGN_OR_RETURN(const std::vector<NamedEntry> entries,
                        fs_->LookupAfter(directory, "", std::numeric_limits<size_t>::max()));
  for (const NamedEntry& found : entries) {
    const bool is_directory = found.entry.attributes.type == FileType::kDirectory;
    if (is_directory) BETR_RETURN_IF_ERROR(DeleteBelow(found.entry.inode));
    BETR_RETURN_IF_ERROR(is_directory ? fs_->RemoveDirectory(directory, found.name)
                                      : fs_->Unlink(directory, found.name));
    fs_->Forget(found.entry.inode);
  }
  BETR_ASSIGN_OR_RETURN(const std::vector<NamedEntry> left, fs_->LookupAfter(directory, "", 1));
  return left.empty() ? absl::OkStatus() : test::Finding(left.front().name + " is still there");
}

// The mount has left nothing of what the crash left: not even if there is no clean end. Mounts anew.
absl::Status Recovery::CheckReclaimed() {
  BETR_RETURN_IF_ERROR(fs_->Sync());
  fs_.reset();
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, ground_.Open(recorder_));
  BETR_RETURN_IF_ERROR(Annotate(CheckFiles(store.get(), Leftovers::kFound), "after a mount"));
  BETR_ASSIGN_OR_RETURN(fs_, Ground::Mount(std::move(store), clock_));
  return absl::OkStatus();
}

absl::Status Recovery::CheckEmptied() {
  BETR_RETURN_IF_ERROR(CheckReclaimed());
  // A few erased keys may stay in front of what they erase for long.
  for (const TreeInfo& tree : fs_->store().Trees()) {
    BETR_RETURN_IF_ERROR(Annotate(fs_->store().Compact(tree.id), "compacting after recovery"));
  }
  BETR_RETURN_IF_ERROR(Annotate(fs_->Unmount(), "a clean end after recovery"));
  fs_.reset();
  BETR_RETURN_IF_ERROR(test::CheckStored(image_));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, ground_.Open(image_));
  BETR_RETURN_IF_ERROR(CheckFiles(store.get(), Leftovers::kFound));
  const SpaceStats space = store->Space();
  if (space.free + kSlack < ground_.free()) {
    return test::Finding(
        fmt::format("{} bytes are free after all was deleted, in an emptied image {}; {} nodes, {} dead",
                    space.free.value, ground_.free().value, space.nodes, space.dead_nodes));
  }
  return absl::OkStatus();
}

}  // namespace betr::ace
