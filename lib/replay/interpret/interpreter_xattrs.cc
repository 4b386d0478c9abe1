// SPDX-License-Identifier: Apache-2.0
// Extended attributes, and the access ACL, which is one by name but changes the mode.
#include <sys/xattr.h>

#include <cerrno>
#include <utility>

#include "replay/interpret/acl_mode.h"
#include "replay/interpret/interpreter.h"

namespace betr::replay {
namespace {

// No call tells which attributes there were.
constexpr std::string_view kOlder = "xattrs: one from before the trace";
constexpr std::string_view kCutAcl = "setxattr: the ACL is cut";
constexpr std::string_view kAccessAcl = "system.posix_acl_access";
constexpr std::string_view kDefaultAcl = "system.posix_acl_default";

bool IsAcl(std::string_view name) { return name.starts_with("system.posix_acl"); }

// The name of an attribute; nothing if it is not there as a whole. No call has one with a zero byte.
std::optional<TextArgument> ParseName(std::string_view argument) {
  std::optional<TextArgument> name = ParseText(argument);
  if (name.has_value() && (name->is_cut || name->bytes.find('\0') != std::string::npos)) name.reset();
  return name;
}

}  // namespace

std::optional<Interpreter::Subject> Interpreter::XattrSubject(Call& call) {
  if (call.event.name.starts_with('f')) return ResolveDescriptor(call, call.Argument(0));
  const bool is_of_link = call.event.name.starts_with('l') && !call.event.name.starts_with("list");
  std::optional<Subject> subject = Resolve(call, "", call.Argument(0), is_of_link ? FollowLast::kNo : FollowLast::kYes);
  if (!subject.has_value()) return std::nullopt;
  const int error = call.result().error;
  const bool is_shown = error == ENODATA || error == ERANGE || error == EEXIST || error == EOPNOTSUPP;
  if (call.result().ok() || is_shown) ConjureMissing(call, &*subject, FileType::kRegular);
  return subject;
}

void Interpreter::GetXattr(Call& call) {
  const std::optional<Subject> subject = XattrSubject(call);
  if (!subject.has_value()) return;
  Operation get = Start(call, OperationKind::kGetXattr, *subject);
  const std::optional<TextArgument> name = ParseName(call.Argument(1));
  if (!name.has_value()) return Skip("getxattr: the name is cut");
  get.text = name->bytes;
  int predicted = subject->MissingError();
  // Which attributes there are is not followed: the trace is believed, and the target asked.
  if (predicted == 0 && call.result().error == ENODATA) predicted = ENODATA;
  if (call.result().ok() || call.result().error == ERANGE) return Skip("getxattr: a value");
  if (Agree(call, &get, predicted)) Emit(&get);
}

void Interpreter::ListXattrs(Call& call) {
  const std::optional<Subject> subject = XattrSubject(call);
  if (!subject.has_value()) return;
  Operation list = Start(call, OperationKind::kListXattrs, *subject);
  if (call.result().error == ERANGE) return Skip("listxattr: a short buffer");
  if (Agree(call, &list, subject->MissingError())) Emit(&list);
}

// The permissions that an ACL means; if -s has cut it, they are not known until the trace shows them again.
void Interpreter::SetAcl(Call& call, const Subject& subject) {
  Operation change = Start(call, OperationKind::kChangeMode, subject);
  change.variant = Variant::kAcl;
  if (!Agree(call, &change, subject.MissingError())) return;
  Node& node = space_.Get(change.place.node);
  node.is_mode_changed = true;
  node.is_written = false;
  node.asked.reset();
  const std::optional<TextArgument> value = ParseText(call.Argument(2));
  std::optional<uint32_t> mode;
  // Where -s ends at a zero byte, strace does not say that it has cut the value.
  const bool is_whole = value.has_value() && !value->is_cut && value->bytes.size() == call.Number(3);
  if (is_whole) mode = ModeOfAcl(value->bytes, node.permissions);
  if (!mode.has_value()) {
    node.is_mode_known = false;
    return Skip(kCutAcl);
  }
  node.permissions = *mode;
  node.is_mode_known = true;
  change.mode = *mode;
  change.value = value->bytes;
  Emit(&change);
}

void Interpreter::SetXattr(Call& call) {
  const std::optional<Subject> subject = XattrSubject(call);
  if (!subject.has_value()) return;
  const std::optional<TextArgument> name = ParseName(call.Argument(1));
  const uint64_t size = call.Number(3);
  constexpr uint64_t kAclSize = 28;  // of one with three entries, as chmod makes it
  if (!name.has_value() && size == kAclSize) return SetAcl(call, *subject);
  if (!name.has_value()) return Skip("setxattr: the name is cut");
  if (name->bytes == kAccessAcl) return SetAcl(call, *subject);
  Operation set = Start(call, OperationKind::kSetXattr, *subject);
  set.text = name->bytes;
  set.flags = static_cast<uint32_t>(call.Flags(4));
  constexpr uint64_t kMostValue = 65536;
  if (size > kMostValue) return Skip("setxattr: the value is too large");
  set.value = ParseText(call.Argument(2)).value_or(TextArgument{}).bytes;
  // Other bytes would be no ACL.
  const bool is_cut_acl = IsAcl(name->bytes) && set.value.size() < size;
  if (is_cut_acl && !call.result().ok()) return Skip(kCutAcl);
  set.value.resize(size, 'x');
  int predicted = subject->MissingError();
  const int traced = call.result().error;
  if (predicted == 0 && (traced == EEXIST || traced == ENODATA)) predicted = traced;
  Node* const node = predicted != ENODATA && subject->MissingError() == 0 ? &space_.Get(set.place.node) : nullptr;
  const bool is_known = node != nullptr && node->xattrs.contains(set.text);
  if (traced == EEXIST && node != nullptr && !is_known) return Skip(kOlder);
  if (traced == 0 && !is_known) set.flags &= ~static_cast<uint32_t>(XATTR_REPLACE);
  if (!Agree(call, &set, predicted)) return;
  node->xattrs.insert(set.text);
  if (name->bytes == kDefaultAcl) SetDefaultAcl(set.place.node, is_cut_acl ? "" : set.value);
  if (is_cut_acl) return Skip(kCutAcl);
  Emit(&set);
}

// `value`: empty if the trace does not tell it.
void Interpreter::SetDefaultAcl(NodeNumber directory, std::string_view value) {
  constexpr size_t kNoEntries = 4;  // bytes of an ACL that takes the one away that is there
  Node& node = space_.Get(directory);
  node.default_acl = value.size() == kNoEntries ? nullptr : std::make_shared<const std::string>(value);
  node.is_acl_own = node.default_acl != nullptr && !value.empty();
}

void Interpreter::RemoveXattr(Call& call) {
  const std::optional<Subject> subject = XattrSubject(call);
  if (!subject.has_value()) return;
  const std::optional<TextArgument> name = ParseName(call.Argument(1));
  if (!name.has_value()) return Skip("removexattr: the name is cut");
  Operation remove = Start(call, OperationKind::kRemoveXattr, *subject);
  if (IsAcl(name->bytes) && call.result().ok()) {
    Node* const node = remove.place.node == NodeNumber{} ? nullptr : &space_.Get(remove.place.node);
    bool is_set = false;
    if (node != nullptr && name->bytes == kDefaultAcl) {
      is_set = std::exchange(node->is_acl_own, false);
      node->default_acl.reset();
    }
    // Linux removes an ACL that is not there without an error; others say ENODATA.
    if (!is_set) return Skip("removexattr: an ACL");
  }
  remove.text = name->bytes;
  const bool is_removed = call.result().ok() && subject->MissingError() == 0;
  if (is_removed && !IsAcl(name->bytes) && space_.Get(remove.place.node).xattrs.erase(remove.text) == 0) {
    return Skip(kOlder);
  }
  int predicted = subject->MissingError();
  if (predicted == 0 && call.result().error == ENODATA) predicted = ENODATA;
  if (Agree(call, &remove, predicted)) Emit(&remove);
}

}  // namespace betr::replay
