// SPDX-License-Identifier: Apache-2.0
// What calls do to one inode: content and attributes.
#include <algorithm>
#include <utility>

#include "support/ace/model.h"

namespace betr::ace {
namespace {

constexpr uint64_t kBlock = kFileBlock.value;

uint64_t BlocksIn(uint64_t size) { return (size + kBlock - 1) / kBlock; }

void SetContent(Node* node, std::string content) {
  node->content = std::make_shared<const std::string>(std::move(content));
}

}  // namespace

void Model::Write(const std::string& path, uint64_t offset, const std::string& bytes, FileTime now) {
  Node& node = Change(path);
  std::string content = *node.content;
  content.resize(std::max<uint64_t>(content.size(), offset + bytes.size()));
  content.replace(offset, bytes.size(), bytes);
  SetContent(&node, std::move(content));
  for (uint64_t block = offset / kBlock; block < BlocksIn(offset + bytes.size()); ++block) node.touched.insert(block);
  node.modified = node.changed = now;
}

void Model::Allocate(const Call& call, FileTime now) {
  const uint64_t end = call.offset + call.length;
  const bool changes_size = call.mode == AllocateMode::kExtend || call.mode == AllocateMode::kZero;
  const bool zeroes = call.mode != AllocateMode::kExtend && call.mode != AllocateMode::kKeepSize;
  Node& node = Change(call.path);
  std::string content = *node.content;
  if (zeroes) {
    for (uint64_t at = call.offset; at < std::min<uint64_t>(end, content.size()); ++at) content[at] = '\0';
    std::erase_if(node.touched, [&](uint64_t block) {
      return block * kBlock >= call.offset && std::min((block + 1) * kBlock, node.Size()) <= end;
    });
    // The last block may keep what lies in it behind the end of the file: nothing that anybody could read.
    if (node.Size() % kBlock != 0 && end >= node.Size() && call.offset < node.Size()) {
      node.touched.insert(node.Size() / kBlock);
    }
  }
  if (changes_size) content.resize(std::max<uint64_t>(content.size(), end));
  SetContent(&node, std::move(content));
  node.modified = node.changed = now;
}

void Model::Truncate(const Call& call, FileTime now) {
  Node& node = Change(call.path);
  std::string content = *node.content;
  content.resize(call.length);
  std::erase_if(node.touched, [&](uint64_t block) { return block >= BlocksIn(call.length); });
  SetContent(&node, std::move(content));
  node.modified = node.changed = now;
}

void Model::ApplyToInode(const Call& call, FileTime now) {
  switch (call.kind) {
    case Call::Kind::kWrite:
      return Write(call.path, call.offset, BytesOf(call.seed, call.offset, call.length), now);
    case Call::Kind::kCopyRange:
      return Write(call.other, call.offset, Find(call.path)->content->substr(call.offset, call.length), now);
    case Call::Kind::kAllocate:
      return Allocate(call, now);
    case Call::Kind::kTruncate:
      return Truncate(call, now);
    default:
      break;
  }
  Node& node = Change(call.path);
  node.changed = now;
  if (call.kind == Call::Kind::kSetXattr) {
    node.xattrs[kXattrName] = BytesOf(call.seed, 0, call.length);
  } else if (call.kind == Call::Kind::kRemoveXattr) {
    node.xattrs.erase(kXattrName);
  } else if (call.kind == Call::Kind::kSetMode) {
    node.permissions = kNewPermissions;
  } else if (call.kind == Call::Kind::kSetOwner) {
    node.uid = node.gid = kNewOwner;
  } else if (call.kind == Call::Kind::kSetTimes) {
    node.accessed = node.modified = kNewTime;
  }
}

}  // namespace betr::ace
