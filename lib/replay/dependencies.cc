// SPDX-License-Identifier: Apache-2.0
#include "replay/dependencies.h"

#include <absl/hash/hash.h>
#include <fcntl.h>

#include <algorithm>

namespace betr::replay {
namespace {

using Kind = OperationKind;

void Add(Resource resource, Access access, Needs* needs) {
  const auto same =
      std::find_if(needs->begin(), needs->end(), [&](const Need& need) { return need.resource == resource; });
  if (same == needs->end()) {
    needs->push_back({resource, access});
  } else if (same->access != access) {
    same->access = Access::kAlone;
  }
}

void Add(Resource::Kind kind, uint64_t number, Access access, Needs* needs) {
  if (number != 0) Add(Resource{.kind = kind, .number = number}, access, needs);
}

bool ChangesNames(Kind kind) {
  switch (kind) {
    case Kind::kCreate:
    case Kind::kMakeDirectory:
    case Kind::kMakeNode:
    case Kind::kSymlink:
    case Kind::kLink:
    case Kind::kUnlink:
    case Kind::kRemoveDirectory:
    case Kind::kRename:
      return true;
    default:
      return false;
  }
}

// A name and the directory that it is in.
void AddName(const Place& place, bool changes, Needs* needs) {
  if (place.parent == NodeNumber{}) return;
  Add(Resource::Kind::kNode, place.parent.value, Access::kShared, needs);
  const Resource name{.kind = Resource::Kind::kName, .number = place.parent.value, .name = absl::HashOf(place.name)};
  Add(name, changes ? Access::kAlone : Access::kShared, needs);
  if (changes) Add(Resource::Kind::kEntries, place.parent.value, Access::kNames, needs);
}

// How an operation needs the node that it is about.
Access OnNode(const Operation& operation) {
  switch (operation.kind) {
    case Kind::kOpen:
      return (operation.flags & O_TRUNC) != 0 ? Access::kAlone : Access::kShared;
    case Kind::kWrite:
      return operation.is_growing ? Access::kAlone : Access::kShared;
    case Kind::kClose:
    case Kind::kRead:
    case Kind::kCopyRange:
    case Kind::kSync:
    case Kind::kFsync:
    case Kind::kSeek:
    case Kind::kStat:
    case Kind::kReadLink:
    case Kind::kList:
    case Kind::kGetXattr:
    case Kind::kListXattrs:
    case Kind::kStatFs:
      return Access::kShared;
    default:
      return Access::kAlone;
  }
}

Access OnFile(const Operation& operation) {
  switch (operation.kind) {
    case Kind::kOpen:
    case Kind::kCreate:
    case Kind::kClose:
    case Kind::kList:
    case Kind::kCopyRange:
      return Access::kAlone;
    default:
      return operation.is_at_position ? Access::kAlone : Access::kShared;
  }
}

}  // namespace

Needs NeedsOf(const Operation& operation) {
  Needs needs;
  Add(Resource{.kind = Resource::Kind::kThread, .number = operation.thread}, Access::kAlone, &needs);
  const bool moves_directory = operation.kind == Kind::kRename && operation.type == FileType::kDirectory;
  Add(Resource{.kind = Resource::Kind::kTree}, moves_directory ? Access::kAlone : Access::kShared, &needs);
  const bool changes = ChangesNames(operation.kind) && !operation.is_probe;
  AddName(operation.place, changes, &needs);
  AddName(operation.to, changes, &needs);
  const Access access = operation.is_probe ? Access::kShared : OnNode(operation);
  Add(Resource::Kind::kNode, operation.place.node.value, access, &needs);
  const bool is_made_in = operation.variant == Variant::kUnnamed;
  Add(Resource::Kind::kNode, operation.to.node.value,
      operation.is_probe || is_made_in ? Access::kShared : Access::kAlone, &needs);
  Add(Resource::Kind::kFile, operation.file.value, OnFile(operation), &needs);
  const bool is_opened_again = operation.kind == Kind::kOpen;
  Add(Resource::Kind::kFile, operation.to_file.value, is_opened_again ? Access::kShared : OnFile(operation), &needs);
  if (operation.kind == Kind::kList) Add(Resource::Kind::kEntries, operation.place.node.value, Access::kShared, &needs);
  return needs;
}

Needs NeedsOf(const ProcessEvent& event) {
  Needs needs;
  Add(Resource{.kind = Resource::Kind::kThread, .number = event.thread}, Access::kAlone, &needs);
  if (event.kind != ProcessEvent::Kind::kEnd) {
    Add(Resource{.kind = Resource::Kind::kThread, .number = event.other}, Access::kAlone, &needs);
  }
  return needs;
}

bool MustWait(const Needs& later, const Needs& earlier) {
  return std::any_of(later.begin(), later.end(), [&earlier](const Need& one) {
    return std::any_of(earlier.begin(), earlier.end(), [&one](const Need& other) {
      return one.resource == other.resource && Excludes(one.access, other.access);
    });
  });
}

}  // namespace betr::replay
