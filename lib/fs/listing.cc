// SPDX-License-Identifier: Apache-2.0
#include "fs/listing.h"

#include <absl/cleanup/cleanup.h>
#include <absl/strings/str_format.h>

#include <optional>
#include <utility>

#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {

absl::StatusOr<Listing> Listing::Of(Core& core, Inode& directory, std::string_view after) {
  if (!directory.IsDirectory()) return ErrnoError(ENOTDIR, "not a directory");
  Listing listing;
  listing.at_end_ = directory.place == InodePlace::kGone;
  if (listing.at_end_) return listing;
  // Sizes and times should be those that everybody sees. If the store takes no more writes now, they are a bit older.
  core.Flush().IgnoreError();
  listing.store_ = &core.store();
  listing.meta_ = core.meta();
  listing.view_ = core.store().Pin();
  listing.content_ = core.ContentOf(directory);
  listing.after_ = after;
  listing.context_ = directory.context;
  for (Inode* home = &core.HomeOf(directory); home != nullptr; home = core.HomeAbove(*home)) {
    listing.homes_.push_back({core.ContentOf(*home), home->context});
  }
  NameSet& names = directory.known_names;
  if (after.empty() && !names.Known()) names.BeginListing();
  listing.learning_ = names.Listing(after);
  listing.number_ = names.Listings();
  return listing;
}

absl::StatusOr<FileAttributes> Listing::Resolve(std::string_view value, std::string_view name) const {
  const std::string what = key::PathOfObject(key::Entry(content_, name));
  BETR_ASSIGN_OR_RETURN(const EntryRecord entry, DecodeEntry(value, what));
  if (const InodeRecord* const record = std::get_if<InodeRecord>(&entry)) return AttributesOf(*record, context_);
  const Reference& reference = std::get<Reference>(entry);
  for (const Home& home : homes_) {
    const absl::StatusOr<std::optional<std::string>> group =
        store_->Get(*view_, meta_, key::Group(home.content, reference.id));
    if (IsUnreadable(group.status())) break;
    BETR_RETURN_IF_ERROR(group.status());
    if (!*group) continue;
    BETR_ASSIGN_OR_RETURN(const InodeRecord record, DecodeGroup(**group, what));
    BETR_RETURN_IF_ERROR(CheckIsMeant(reference, record, what));
    return AttributesOf(record, home.context);
  }
  // Of what leads nowhere, or to what cannot be read: one such name must not hide all the others. A lookup says why.
  FileAttributes attributes;
  attributes.type = reference.type;
  attributes.links = 0;
  return attributes;
}

absl::Status Listing::Read(size_t max) {
  if (at_end_) return absl::OkStatus();
  const absl::Cleanup give_up = [this] { view_.reset(); };
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor,
                        store_->NewCursor(view_, meta_, key::EntriesAfter(content_, after_)));
  for (cursor->SeekToFirst(); cursor->Valid() && items_.size() < max; cursor->Next()) {
    std::string name(cursor->Key().substr(content_.size() + 1));
    if (!key::ValidName(name)) continue;  // damaged; `..` would lead whoever follows it out of what is listed
    BETR_ASSIGN_OR_RETURN(FileAttributes attributes, Resolve(cursor->Value(), name));
    items_.push_back({std::move(name), std::move(attributes)});
  }
  BETR_RETURN_IF_ERROR(cursor->status());
  at_end_ = !cursor->Valid();
  return absl::OkStatus();
}

void Listing::Teach(Inode* directory) const {
  NameSet& names = directory->known_names;
  if (!learning_ || number_ != names.Listings() || !names.Listing(after_)) return;
  for (const Item& item : items_) names.AddListed(item.name);
  if (at_end_) names.FinishListing();
}

absl::StatusOr<std::vector<FoundName>> FindAfter(Core& core, Inode& directory, std::string_view after, size_t max) {
  std::vector<FoundName> found;
  if (!directory.IsDirectory()) return ErrnoError(ENOTDIR, "not a directory");
  if (directory.place == InodePlace::kGone) return found;
  NameSet& names = directory.known_names;
  if (after.empty() && !names.Known()) names.BeginListing();
  const bool learning = names.Listing(after);
  const std::string content = core.ContentOf(directory);
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, core.ScanMeta(key::EntriesAfter(content, after)));
  for (; cursor->Valid() && found.size() < max; cursor->Next()) {
    std::string name(cursor->Key().substr(content.size() + 1));
    if (!key::ValidName(name)) continue;  // as for listings
    const absl::StatusOr<Inode*> inode = core.FindRead(directory, name, cursor->Value());
    // As for listings, one name must not hide all the others.
    if (!inode.ok() && !IsUnreadable(inode.status())) return inode.status();
    if (learning) names.AddListed(name);
    found.push_back({std::move(name), inode.ok() ? *inode : nullptr});
  }
  BETR_RETURN_IF_ERROR(cursor->status());
  if (learning && !cursor->Valid()) names.FinishListing();
  return found;
}

}  // namespace betr::fs
