// SPDX-License-Identifier: Apache-2.0
// CheckContext is what the parts of the checker share: the store, and how findings are reported, counted and repaired.
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
#include "fs/check/check.h"
#include "fs/check/check_sound.h"
#include "fs/check/lost_and_found.h"
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

  // Repairs go into this batch, which is written now and then. Cursors and views still see what was there before.
  WriteBatch& repairs() { return repairs_; }
  bool repair() const { return options_.repair; }
  bool salvage() const { return options_.repair && options_.salvage; }

  // The bound of inode numbers as it is after the repairs that are waiting to be written.
  uint64_t number_bound() const { return number_bound_; }
  void SetNumberBound(uint64_t bound) { number_bound_ = bound; }
  uint64_t FreshNumber(WriteBatch* batch);
  // From now on a number that is not below the bound is no finding: it raises the bound.
  void OnlyRaiseBound() { only_raises_bound_ = true; }
  bool only_raises_bound() const { return only_raises_bound_; }

  // Report something that nobody knows how to mend, that is harmless, or that `mend` mends by what it adds to the
  // batch.
  void Broken(CheckCode code, std::string_view key, std::string what);
  void Harmless(CheckCode code, std::string_view key, std::string what);
  template <class Mend>
  void Mendable(CheckCode code, std::string_view key, std::string what, const Mend& mend) {
    if (options_.repair) mend(&repairs_);
    Report(code, key, std::move(what), false, true);
  }

  // Reports something that only a guess can mend, which is done only with CheckOptions::salvage.
  template <class Mend>
  void Guessable(CheckCode code, std::string_view key, std::string what, const Mend& mend) {
    if (salvage()) mend(&repairs_);
    Report(code, key, std::move(what), false, options_.salvage);
  }
  // Reports something that can be mended only by taking it away. That is a guess, unless there is nothing in it that
  // anybody may miss. No crash leaves such things behind: each operation of the file system is one batch, truncation
  // and removal included, and what is erased in several batches is named by a record (pending_erases.h). So if there is
  // something in it, what it belonged to was lost by damage, or by a repair that did not come to its end.
  template <class Mend>
  void Removable(bool is_missed, CheckCode code, std::string_view key, std::string what, const Mend& mend) {
    if (is_missed) return Guessable(code, key, std::move(what), mend);
    Mendable(code, key, std::move(what), mend);
  }
  // Reports a name that stands for nothing any more. A salvage erases it, and says so.
  void LoseName(CheckCode code, std::string_view key, std::string what);
  // Reports an extended attribute of an object. In a salvage, `mend` takes it away, and the finding says so.
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
  // Reports, once, a record that cannot be decoded. A salvage erases it, and says which name is lost with it. One that
  // a newer version wrote stays.
  void BadRecord(std::string_view key, const absl::Status& status);

  // Adds a delta that mends a record.
  void MendRecord(WriteBatch* batch, std::string_view object, const AttributeDelta& delta) const;

  absl::StatusOr<std::optional<std::string>> GetMeta(std::string_view key);
  absl::StatusOr<std::optional<std::string>> GetData(std::string_view key);
  // Returns the record of an object. Returns nothing if it is absent or a reference, or, after a finding, if it is
  // damaged.
  absl::StatusOr<std::optional<InodeRecord>> GetInode(std::string_view object);

  // One view of both trees for the scans, as they are when the check begins.
  const std::shared_ptr<const ReadView>& view() const { return view_; }
  // A digest of what lies below a directory; nothing if no other directory can have the very same content.
  absl::StatusOr<std::optional<SubtreeDigest>> Digest(std::string_view content);

  // Garbage is what was being erased key by key when the store was last used (pending_erases.h). The next mount erases
  // the rest of it, so the scans leave it out. EndOfGarbage: the end of the range of garbage that a key lies in, if
  // any.
  absl::Status ReadGarbage();
  std::optional<Bound> EndOfGarbage(TreeId tree, std::string_view key) const;
  // If repairs are wanted, erases garbage as the mount would.
  void EraseGarbage();

  LostAndFound& lost_and_found() { return lost_and_found_; }
  // Moves all that is below a directory, in both trees, to a free place in /lost+found. The scans leave it out from now
  // on, since they still see it where it was.
  void Move(WriteBatch* batch, std::string_view content, std::string_view place);
  bool IsMoved(std::string_view content) const { return moved_.contains(content); }
  // Whether names were moved. The next pass meets them; until then nobody can say which names a link group has.
  bool HasMovedNames() const { return has_moved_names_; }
  // The same for what belongs to an object in "data". It is moved to another object, or erased.
  void MoveAttachments(WriteBatch* batch, std::string_view object, std::string_view target);
  void EraseAttachments(WriteBatch* batch, std::string_view object);

  // The zones whose roots the scan of "meta" has met.
  ZoneRoots& zones() { return zones_; }
  // The path of a directory with this content prefix, escaped.
  std::string PathOf(std::string_view content) const;

  // References that the scan has met and no home lists, by the key of the group that they seem to refer to. Memory:
  // proportional to the damage.
  std::map<std::string, std::vector<UnlistedName>>& unlisted() { return unlisted_; }

  // To be called between two keys. Writes repairs if there are many. kCancelled if the check is to end.
  absl::Status Step();
  // Writes the repairs, and only then reports what they repair.
  absl::Status WriteRepairs();
  // Whether there is space to spare. Moving a small file writes it anew, so content that clones share then takes space
  // for each of them.
  bool HasRoomToMove() const;
  // To be called when the check ends with an error: reports what was to be repaired as not repaired.
  void GiveUpRepairs();

 private:
  void Report(CheckCode code, std::string_view key, std::string what, bool harmless, bool repairable,
              std::string lost_name = "", std::string lost_attribute = "");
  void TellWaiting();
  // Returns the name of an entry, or a name of a link group as its home lists it.
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
