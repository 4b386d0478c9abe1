// SPDX-License-Identifier: Apache-2.0
// What the parts of the checker share: the store, how findings are reported, counted and repaired.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fs/attribute_delta.h"
#include "fs/check.h"
#include "fs/check_sound.h"
#include "fs/lost_and_found.h"
#include "fs/pending_erases.h"
#include "fs/record.h"
#include "fs/zone_roots.h"

namespace betr::fs {

// What lies between a name and the home of the group that it seems to refer to.
enum class NameWay : uint8_t {
  kClear,
  kMadeAnew,   // a directory whose record is lost: it may have been a home
  kOtherHome,  // a home that should have the group
};

// A reference that no home lists.
struct UnlistedName {
  std::string key;
  NameWay way;
};

class CheckContext {
 public:
  CheckContext(Store* store, TreeId meta, TreeId data, const CheckOptions& options,
               absl::FunctionRef<void(const CheckFinding&)> report);

  Store& store() { return store_; }
  TreeId meta() const { return meta_; }
  TreeId data() const { return data_; }
  CheckSummary& summary() { return summary_; }

  // Repairs go into this batch; they are written now and then. Cursors and views keep seeing what was before.
  WriteBatch& repairs() { return repairs_; }
  bool repair() const { return options_.repair; }
  bool salvage() const { return options_.repair && options_.salvage; }

  // The bound of inode numbers as it is, with the repairs that are on their way.
  uint64_t number_bound() const { return number_bound_; }
  void SetNumberBound(uint64_t bound) { number_bound_ = bound; }
  uint64_t FreshNumber(WriteBatch* batch);
  // From now on a number that is not below the bound is no finding: it raises the bound.
  void OnlyRaiseBound() { only_raises_bound_ = true; }
  bool only_raises_bound() const { return only_raises_bound_; }

  // Something that nobody knows how to mend, that is harmless, or that is mended by what `mend` adds to the batch.
  void Broken(CheckCode code, std::string_view key, std::string what);
  void Harmless(CheckCode code, std::string_view key, std::string what);
  template <class Mend>
  void Mendable(CheckCode code, std::string_view key, std::string what, const Mend& mend) {
    if (options_.repair) mend(&repairs_);
    Report(code, key, std::move(what), false, true);
  }

  // Something that only a guess mends: only with CheckOptions::salvage.
  template <class Mend>
  void Guessable(CheckCode code, std::string_view key, std::string what, const Mend& mend) {
    if (salvage()) mend(&repairs_);
    Report(code, key, std::move(what), false, options_.salvage);
  }
  // Something that only taking it away mends: a guess, unless there is nothing in it that anybody may miss. No crash
  // leaves such things behind: each operation of the file system is one batch, truncation and removal included, and
  // what is erased in several is named by a record (pending_erases.h). So where there is something in it, a damage or a
  // repair that has not come to its end has cost what it belongs to.
  template <class Mend>
  void Removable(bool is_missed, CheckCode code, std::string_view key, std::string what, const Mend& mend) {
    if (is_missed) return Guessable(code, key, std::move(what), mend);
    Mendable(code, key, std::move(what), mend);
  }
  // A name that stands for nothing any more: erased by a salvage, which says so.
  void LoseName(CheckCode code, std::string_view key, std::string what);
  // An extended attribute of an object that `mend` takes away, in a salvage, which says so.
  template <class Mend>
  absl::Status LoseXattr(std::string_view object, std::string_view name, std::string what, const Mend& mend) {
    if (!salvage()) {
      Report(CheckCode::kXattr, object, std::move(what), false, options_.salvage);
      return absl::OkStatus();
    }
    BETR_ASSIGN_OR_RETURN(std::string lost_name, NameOf(object));
    mend(&repairs_);
    Report(CheckCode::kXattr, object, std::move(what), false, true, std::move(lost_name), std::string(name));
    return absl::OkStatus();
  }
  // A record that cannot be decoded, told once: erased by a salvage, which says which name is lost with it, unless a
  // newer version wrote it.
  void BadRecord(std::string_view key, const absl::Status& status);

  // A delta that mends a record.
  void MendRecord(WriteBatch* batch, std::string_view object, const AttributeDelta& delta) const;

  absl::StatusOr<std::optional<std::string>> GetMeta(std::string_view key);
  absl::StatusOr<std::optional<std::string>> GetData(std::string_view key);
  // The record of an object: nothing, after a finding, if it is damaged; nothing if it is absent or a reference.
  absl::StatusOr<std::optional<InodeRecord>> GetInode(std::string_view object);

  // One view of both trees for the scans: what they are as the check begins.
  const std::shared_ptr<const ReadView>& view() const { return view_; }
  // What lies below a directory, if another directory may have the very same.
  absl::StatusOr<std::optional<SubtreeDigest>> Digest(std::string_view content);

  // What was being erased key by key when the store was last used (pending_erases.h): the next mount erases the rest.
  // So the scans leave it out. The end of the range of it that a key lies in, if it does.
  absl::Status ReadGarbage();
  std::optional<Bound> EndOfGarbage(TreeId tree, std::string_view key) const;
  // What the mount would do, if repairs are wanted.
  void EraseGarbage();

  LostAndFound& lost_and_found() { return lost_and_found_; }
  // Moves all that is below a directory, in both trees, to a free place in /lost+found. The scans leave it out from now
  // on: they see it where it was.
  void Move(WriteBatch* batch, std::string_view content, std::string_view place);
  bool IsMoved(std::string_view content) const { return moved_.contains(content); }
  // The names in there will be met by the next pass: until then nobody can say which ones a link group has.
  bool HasMovedNames() const { return has_moved_names_; }
  // The same for what belongs to an object, in "data": moved to another one, or erased.
  void MoveAttachments(WriteBatch* batch, std::string_view object, std::string_view target);
  void EraseAttachments(WriteBatch* batch, std::string_view object);

  // The zones whose roots the scan of "meta" has met.
  ZoneRoots& zones() { return zones_; }
  // Of a directory with this content prefix, escaped.
  std::string PathOf(std::string_view content) const;

  // References that no home lists, met by the scan, by the key of the group that they seem to refer to. Memory: that
  // of the damage.
  std::map<std::string, std::vector<UnlistedName>>& unlisted() { return unlisted_; }

  // Between two keys: writes repairs if there are many. kCancelled if the check is to end.
  absl::Status Step();
  // What is repaired is told only when the repair is written.
  absl::Status WriteRepairs();
  // Whether there is space to spare. Moving a small file writes it anew, so content that clones share comes to take as
  // much as it has clones.
  bool HasRoomToMove() const;
  // The check ends with an error: what was to be repaired is told as what is not.
  void GiveUpRepairs();

 private:
  void Report(CheckCode code, std::string_view key, std::string what, bool harmless, bool repairable,
              std::string lost_name = "", std::string lost_attribute = "");
  void TellWaiting();
  // A name of an entry, or of a link group as its home lists it.
  absl::StatusOr<std::string> NameOf(std::string_view object);

  Store& store_;
  std::shared_ptr<const ReadView> view_;
  TreeId meta_;
  TreeId data_;
  const CheckOptions& options_;
  absl::FunctionRef<void(const CheckFinding&)> report_;
  CheckSummary summary_;
  WriteBatch repairs_;
  std::vector<CheckFinding> waiting_;  // that these repair
  std::set<std::string, std::less<>> bad_records_;
  std::vector<TreeRange> garbage_;
  LostAndFound lost_and_found_;
  std::set<std::string, std::less<>> moved_;  // content prefixes, and those of attachments
  bool has_moved_names_ = false;
  ZoneRoots zones_;
  std::map<std::string, std::vector<UnlistedName>> unlisted_;
  uint64_t number_bound_ = 0;
  bool only_raises_bound_ = false;
  uint64_t steps_ = 0;
};

// The two scans.
absl::Status CheckMeta(CheckContext* context);
absl::Status CheckData(CheckContext* context);

}  // namespace betr::fs
