// SPDX-License-Identifier: Apache-2.0
#include "support/ace/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/random.h"

namespace betr::ace {
namespace {

std::string_view NameOf(Call::Kind kind) {
  constexpr std::string_view kNames[] = {
      "create", "mkdir",    "symlink",     "mkfifo", "unnamed", "open",      "write",  "allocate", "truncate",
      "copy",   "link",     "unlink",      "rmdir",  "rmtree",  "droplinks", "rename", "leave",    "exchange",
      "clone",  "setxattr", "removexattr", "chmod",  "chown",   "utimes",    "sync"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace

bool ChangesInode(Call::Kind kind) {
  switch (kind) {
    case Call::Kind::kWrite:
    case Call::Kind::kAllocate:
    case Call::Kind::kTruncate:
    case Call::Kind::kCopyRange:
    case Call::Kind::kSetXattr:
    case Call::Kind::kRemoveXattr:
    case Call::Kind::kSetMode:
    case Call::Kind::kSetOwner:
    case Call::Kind::kSetTimes:
      return true;
    default:
      return false;
  }
}

std::string BytesOf(uint64_t seed, uint64_t offset, uint64_t length) {
  constexpr uint64_t kWord = sizeof(uint64_t);
  std::string bytes(length, '\0');
  for (uint64_t at = 0; at < length;) {
    const uint64_t word = (offset + at) / kWord;
    uint64_t state = (seed << 32) + word;
    const uint64_t value = SplitMix64(&state);
    const uint64_t begin = (offset + at) % kWord;
    const uint64_t count = std::min(kWord - begin, length - at);
    std::memcpy(bytes.data() + at, reinterpret_cast<const char*>(&value) + begin, count);
    at += count;
  }
  return bytes;
}

std::vector<Call> StepsOf(const Call& call, uint64_t unit) {
  if (call.kind == Call::Kind::kRemoveTree) {
    Call links = call;
    links.kind = Call::Kind::kDropLinks;
    return {links, call};
  }
  if ((call.kind != Call::Kind::kWrite && call.kind != Call::Kind::kCopyRange) || call.length == 0) return {call};
  std::vector<Call> steps;
  for (uint64_t at = 0; at < call.length; at += unit) {
    Call step = call;
    step.offset += at;
    step.length = std::min(unit, call.length - at);
    steps.push_back(step);
  }
  return steps;
}

std::string FormatCall(const Call& call) {
  std::string text = fmt::format("{} /{}", NameOf(call.kind), call.path);
  if (!call.other.empty()) text += " /" + call.other;
  if (call.offset > 0 || call.length > 0) text += fmt::format(" {}+{}", call.offset, call.length);
  return text;
}

}  // namespace betr::ace
