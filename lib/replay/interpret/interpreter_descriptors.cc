// SPDX-License-Identifier: Apache-2.0
// Calls that make descriptors of other things than files, or get them from other processes.
#include <unistd.h>

#include <cerrno>

#include "replay/interpret/interpreter.h"

namespace betr::replay {
namespace {

using Parts = std::vector<std::string_view>;

constexpr std::string_view kUntoldDescriptor = "a descriptor that the trace does not tell (-y)";

Parts PartsOf(std::string_view array) { return ParseArray(array).value_or(Parts{}); }

// What came with a message: `{msg_control=[{cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[7, 8]}], ...}`.
void AddDescriptorsOf(std::string_view message, Parts* descriptors) {
  for (const std::string_view control : PartsOf(FindField(message, "msg_control"))) {
    if (FindField(control, "cmsg_type") != "SCM_RIGHTS") continue;
    const Parts received = PartsOf(FindField(control, "cmsg_data"));
    descriptors->insert(descriptors->end(), received.begin(), received.end());
  }
}

Parts DescriptorsIn(std::string_view call, std::string_view messages) {
  Parts descriptors;
  if (call == "recvmsg") {
    AddDescriptorsOf(messages, &descriptors);
  } else {
    for (const std::string_view one : PartsOf(messages)) AddDescriptorsOf(FindField(one, "msg_hdr"), &descriptors);
  }
  return descriptors;
}

}  // namespace

// Whether neither a call nor -y tells what the descriptor is. The standard ones are inherited by nearly all programs,
// and mostly of a terminal.
bool Interpreter::IsUntold(const Call& call, std::string_view descriptor) const {
  const std::optional<DescriptorArgument> parsed = ParseDescriptor(descriptor);
  const bool is_annotated = descriptor.find('<') != std::string_view::npos;
  if (!parsed.has_value() || parsed->number <= STDERR_FILENO || is_annotated) return false;
  const DescriptorTable& files = *call.task.files;
  const bool is_known = files.open.contains(parsed->number) || files.elsewhere.contains(parsed->number);
  return !is_known && call.result().error != EBADF;
}

// Outside, or not known to be.
std::optional<Interpreter::Subject> Interpreter::NoFile(const Call& call, std::string_view descriptor) {
  return IsUntold(call, descriptor) ? Lost(kUntoldDescriptor) : Outside();
}

void Interpreter::NewDescriptor(Call& call) {
  if (call.result().ok()) InstallElsewhere(call, call.result().value);
}

void Interpreter::NewPair(Call& call) {
  ++counts_.other;
  if (!call.result().ok()) return;
  for (const std::string_view end : PartsOf(call.Argument(call.event.name == "socketpair" ? 3 : 0))) {
    const std::optional<DescriptorArgument> descriptor = ParseDescriptor(end);
    if (descriptor.has_value() && descriptor->number >= 0) InstallElsewhere(call, descriptor->number);
  }
}

void Interpreter::OpenProcess(Call& call) {
  if (!call.result().ok()) return;
  InstallElsewhere(call, call.result().value);
  call.task.files->processes[static_cast<int>(call.result().value)] =
      static_cast<ThreadNumber>(ParsePid(call.Argument(0)).value_or(0));
}

// pidfd_getfd.
void Interpreter::TakeDescriptor(Call& call) {
  if (!call.result().ok()) return;
  const int64_t number = call.result().value;
  Displace(call, number);
  const auto& processes = call.task.files->processes;
  const std::optional<DescriptorArgument> process = ParseDescriptor(call.Argument(0));
  const auto owner = process.has_value() ? processes.find(process->number) : processes.end();
  if (owner != processes.end() && processes_.Has(owner->second)) {
    const DescriptorTable& files = *processes_.Get(owner->second).files;
    const auto wanted = static_cast<int>(call.Number(1));
    const auto found = files.open.find(wanted);
    if (found != files.open.end()) {
      ++counts_.used;
      return Install(call, number, DescriptionPointer(found->second.description), true);
    }
    if (files.elsewhere.contains(wanted)) return InstallElsewhere(call, number);
  }
  if (call.result().annotation.empty()) ++counts_.unsupported["pidfd_getfd"];
}

// recvmsg, recvmmsg. Who has sent a descriptor is not known, so what it is of is not either.
void Interpreter::Receive(Call& call) {
  std::vector<std::string_view> received;
  if (call.result().ok()) received = DescriptorsIn(call.event.name, call.Argument(1));
  bool is_told = true;
  for (const std::string_view one : received) {
    const std::optional<DescriptorArgument> descriptor = ParseDescriptor(one);
    if (descriptor.has_value() && descriptor->number >= 0) Displace(call, descriptor->number);
    is_told = is_told && one.find('<') != std::string_view::npos;
  }
  ++(is_told ? counts_.other : counts_.unsupported[call.event.name + ": descriptors"]);
}

}  // namespace betr::replay
