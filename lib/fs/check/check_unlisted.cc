// SPDX-License-Identifier: Apache-2.0
#include "fs/check/check_unlisted.h"

#include <absl/strings/str_format.h>

#include <algorithm>

#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

// What a repair has moved to /lost+found has lost the front of its path, or has another one (lost_and_found.h).
bool IsMovedName(std::string_view name, std::string_view lost_and_found, const std::string& gone) {
  constexpr int kDirectories = 2;  // of a repair's own: "again-1", "node-7"
  if (!name.starts_with(lost_and_found)) return false;
  name.remove_prefix(lost_and_found.size());
  if (key::OutOfZone(gone) == name) return true;
  for (int i = 0; i < kDirectories; ++i) {
    const size_t end = name.find('\0');
    if (end == 0 || end == std::string_view::npos) return false;
    name.remove_prefix(end + 1);
    if (gone.ends_with(name)) return true;
  }
  return false;
}

class Settlement {
 public:
  Settlement(CheckContext* context, const std::string& home, uint64_t id, GroupCount* count)
      : context_(*context), home_(home), id_(id), count_(*count) {}

  absl::Status Run(const std::vector<UnlistedName>& names) {
    BETR_ASSIGN_OR_RETURN(lost_and_found_, context_.lost_and_found().Content());
    for (const UnlistedName& name : names) BETR_RETURN_IF_ERROR(Sort(name));
    BETR_RETURN_IF_ERROR(SettleMoved());
    BETR_RETURN_IF_ERROR(SettleClear());
    BETR_RETURN_IF_ERROR(SettleBelowAnew());
    return ForEach(strange_, &Settlement::Lose);
  }

 private:
  using Names = std::vector<std::string>;

  absl::Status Sort(const UnlistedName& name) {
    BETR_ASSIGN_OR_RETURN(const bool has_nearer, HasNearerGroup(name.key));
    if (has_nearer) {
      count_.is_open = true;
      return absl::OkStatus();
    }
    const auto is_it = [&](const std::string& gone) { return IsMovedName(name.key, lost_and_found_, gone); };
    if (name.way != NameWay::kOtherHome && std::any_of(count_.gone.begin(), count_.gone.end(), is_it)) {
      moved_.push_back(name.key);
    } else if (name.way == NameWay::kClear) {
      clear_.push_back(name.key);
    } else {
      (name.way == NameWay::kMadeAnew ? below_anew_ : strange_).push_back(name.key);
    }
    return absl::OkStatus();
  }

  // In a directory that was not known to be a home. The scan has made it one, and the next one will find the group
  // there.
  absl::StatusOr<bool> HasNearerGroup(const std::string& name) {
    const std::string content(key::ParseMeta(name)->content);
    if (!content.starts_with(home_)) return false;
    for (size_t size = home_.size(); size < content.size();) {
      size = key::NextContent(content, size);
      BETR_ASSIGN_OR_RETURN(const auto record, context_.GetMeta(key::Group(content.substr(0, size), id_)));
      if (record && DecodeInode(*record, "").ok()) return true;
    }
    return false;
  }

  // A group may have more names than a batch takes.
  absl::Status ForEach(const Names& names, void (Settlement::*settle)(const std::string& name)) {
    for (const std::string& name : names) {
      BETR_RETURN_IF_ERROR(context_.Step());
      (this->*settle)(name);
    }
    return absl::OkStatus();
  }

  absl::Status SettleMoved() {
    if (moved_.size() > count_.gone.size()) {
      below_anew_.insert(below_anew_.end(), moved_.begin(), moved_.end());
      return absl::OkStatus();
    }
    return ForEach(moved_, &Settlement::GuessIsName);
  }

  absl::Status SettleClear() {
    const size_t names = clear_.size();
    const bool is_known = count_.listed + names <= count_.links;
    const bool is_likely = count_.names + names <= count_.links;
    const auto otherwise = is_likely ? &Settlement::GuessIsName : &Settlement::Lose;
    BETR_RETURN_IF_ERROR(ForEach(clear_, is_known ? &Settlement::IsName : otherwise));
    if (is_known) count_.listed += names;
    return absl::OkStatus();
  }

  absl::Status SettleBelowAnew() {
    const bool is_likely = count_.listed + below_anew_.size() <= count_.links;
    return ForEach(below_anew_, is_likely ? &Settlement::GuessIsName : &Settlement::Lose);
  }

  void List(WriteBatch* batch, const std::string& name) {
    batch->Put(context_.meta(), key::GroupName(home_, key::Relative(home_, name)), EncodeGroupName(id_));
  }

  void IsName(const std::string& name) {
    ++count_.names;
    context_.Mendable(CheckCode::kGroupName, name, "the name is not listed in its link home",
                      [&](WriteBatch* batch) { List(batch, name); });
  }

  void GuessIsName(const std::string& name) {
    ++count_.names;
    count_.is_open = count_.is_open || !context_.salvage();
    context_.Guessable(
        CheckCode::kGroupName, name,
        absl::StrFormat("the name is not listed in its link home, which may be /%s", context_.PathOf(home_)),
        [&](WriteBatch* batch) { List(batch, name); });
  }

  void Lose(const std::string& name) {
    count_.is_open = count_.is_open || !context_.salvage();
    context_.LoseName(CheckCode::kReference, name,
                      absl::StrFormat("group %u in /%s is not known to have this name", id_, context_.PathOf(home_)));
  }

  CheckContext& context_;
  const std::string& home_;
  const uint64_t id_;
  GroupCount& count_;
  std::string lost_and_found_;
  Names moved_;
  Names clear_;
  Names below_anew_;
  Names strange_;
};

}  // namespace

absl::Status SettleUnlisted(CheckContext* context, const std::string& home, uint64_t id, GroupCount* count) {
  if (!count->has_unlisted) return absl::OkStatus();
  const auto names = context->unlisted().find(key::Group(home, id));
  return Settlement(context, home, id, count).Run(names->second);
}

}  // namespace betr::fs
