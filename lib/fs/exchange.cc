// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "base/status.h"
#include "fs/key.h"
#include "fs/link_groups.h"
#include "fs/move.h"
#include "fs/reach.h"

namespace betr::fs {
namespace {

// Exchanges what two disjoint prefixes hold. Whether they hold anything may be known.
void SwapPrefixes(WriteBatch* batch, TreeId tree, const std::string& a, bool a_holds, const std::string& b,
                  bool b_holds) {
  const std::string_view scratch = key::kScratchPrefix;
  if (a_holds && b_holds) {
    batch->RenamePrefix(tree, a, tree, scratch);
    batch->RenamePrefix(tree, b, tree, a);
    batch->RenamePrefix(tree, scratch, tree, b);
  } else if (a_holds) {
    batch->RenamePrefix(tree, a, tree, b);
  } else if (b_holds) {
    batch->RenamePrefix(tree, b, tree, a);
  }
}

// What moving an object means for link groups.
struct LinksToMove {
  bool are_to_finish = false;  // a home at or above the object is half dissolved, with names below the object
  bool are_below = false;      // names below the object are of groups of its home, which is above it
  bool cross_homes = false;    // names may leave or enter a home
};

// One side of an exchange.
struct Side {
  const Slot& slot;
  bool has_members = false;  // names of groups below, listed in the home of both directories
  InodeRecord record;        // afterwards
};

bool IsNamed(const Side& side) { return side.slot.inode->place == InodePlace::kNamed; }
bool HasAttachments(const Side& side) { return IsNamed(side) && side.slot.inode->record.HasAttachments(); }
std::string ContentUnder(const Slot& slot) { return key::Content(slot.content, slot.name); }

absl::Status CheckExchange(Core& core, const Slot& from, const Slot& to) {
  if (from.inode->IsDirectory() && IsBelow(*to.directory, *from.inode)) {
    return ErrnoError(EINVAL, "a directory into itself");
  }
  return CheckMove(core, from, to);
}

// Adds: the object of `side` gets the name `to`; only its record or reference.
void PutObject(Transaction* transaction, Core& core, Side* side, const Slot& to) {
  Inode* const inode = side->slot.inode;
  if (!IsNamed(*side)) {
    AttributeDelta delta;
    delta.changed = transaction->now();
    transaction->Change(inode, delta);
    PutReference(transaction, core, to, inode->home, {inode->record.type, inode->group});
    return;
  }
  side->record = RecordIn(*inode, to.directory->context);
  side->record.changed = transaction->now();
  PutNamed(transaction, to, side->record, *inode);
}

void SwapRanges(Transaction* transaction, Core& core, const Side& a, const Side& b) {
  WriteBatch* const batch = &transaction->batch();
  SwapPrefixes(batch, core.data(), key::Attachments(a.slot.object), HasAttachments(a), key::Attachments(b.slot.object),
               HasAttachments(b));
  const std::string a_content = ContentUnder(a.slot);
  const std::string b_content = ContentUnder(b.slot);
  if (a.has_members || b.has_members) {
    const std::string home = core.ContentOf(core.HomeOf(*a.slot.directory));
    SwapPrefixes(batch, core.meta(), GroupNameKey(home, a_content), a.has_members, GroupNameKey(home, b_content),
                 b.has_members);
  }
  for (const TreeId tree : {core.meta(), core.data()}) {
    SwapPrefixes(batch, tree, a_content, HasContent(*a.slot.inode), b_content, HasContent(*b.slot.inode));
  }
}

void FollowExchange(Core& core, const Side& side, const Slot& to) {
  core.inodes().AddName(side.slot.inode, to.directory, to.name);
  if (IsNamed(side)) side.slot.inode->record = side.record;
}

// EXDEV if PrepareLinks would meet it, and nothing is done in any case.
absl::StatusOr<LinksToMove> CheckLinks(Core& core, const Slot& from, Inode* to) {
  Inode* const inode = from.inode;
  LinksToMove links;
  links.cross_homes = inode->place == InodePlace::kGroup;
  if (inode->IsDirectory()) {
    BETR_ASSIGN_OR_RETURN(Inode* const home, CheckFinishDissolves(core, *inode));
    links.are_to_finish = home != &core.HomeOf(*inode);
    if (home != inode) {
      BETR_ASSIGN_OR_RETURN(links.are_below, HasMembersBelow(core, *home, core.ContentOf(*inode)));
      links.cross_homes = links.are_below || core.zones().exist;  // they may be in a zone below it
    }
  }
  if (links.cross_homes) BETR_RETURN_IF_ERROR(CheckCommonHome(core, *from.directory, *to));
  return links;
}

}  // namespace

absl::StatusOr<bool> PrepareLinks(Core& core, const Slot& from, Inode* to) {
  BETR_ASSIGN_OR_RETURN(LinksToMove links, CheckLinks(core, from, to));
  if (links.are_to_finish) {
    BETR_RETURN_IF_ERROR(FinishDissolves(core, *from.inode));
    BETR_ASSIGN_OR_RETURN(links, CheckLinks(core, from, to));  // its home has got groups
  }
  if (links.cross_homes) BETR_RETURN_IF_ERROR(CommonHome(core, *from.directory, *to).status());
  return links.are_below && HasContent(*from.inode);
}

bool HasContent(const Inode& inode) {
  return inode.IsDirectory() && inode.record.zone == 0 && (inode.record.link_home || !inode.known_names.KnownEmpty());
}

absl::Status Exchange(Core& core, const Slot& a, const Slot& b) {
  BETR_RETURN_IF_ERROR(CheckExchange(core, a, b));
  BETR_RETURN_IF_ERROR(CheckExchange(core, b, a));
  Side side_a{a, false, {}};
  Side side_b{b, false, {}};
  // What one of them dissolves takes nothing to the other that does not fit.
  BETR_RETURN_IF_ERROR(CheckLinks(core, a, b.directory).status());
  BETR_RETURN_IF_ERROR(CheckLinks(core, b, a.directory).status());
  BETR_ASSIGN_OR_RETURN(side_a.has_members, PrepareLinks(core, a, b.directory));
  BETR_ASSIGN_OR_RETURN(side_b.has_members, PrepareLinks(core, b, a.directory));

  Transaction transaction(&core);
  EraseName(&transaction, core, a);
  EraseName(&transaction, core, b);
  PutObject(&transaction, core, &side_a, b);
  PutObject(&transaction, core, &side_b, a);
  SwapRanges(&transaction, core, side_a, side_b);
  const int difference = (a.inode->IsDirectory() ? 1 : 0) - (b.inode->IsDirectory() ? 1 : 0);
  transaction.TouchDirectory(a.directory, -difference);
  transaction.TouchDirectory(b.directory, difference);
  BETR_RETURN_IF_ERROR(transaction.Commit());

  core.inodes().RemoveName(a.inode, a.directory, a.name);
  core.inodes().RemoveName(b.inode, b.directory, b.name);
  FollowExchange(core, side_a, b);
  FollowExchange(core, side_b, a);
  return absl::OkStatus();
}

}  // namespace betr::fs
