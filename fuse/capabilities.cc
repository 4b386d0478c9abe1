// SPDX-License-Identifier: Apache-2.0
#include "capabilities.h"

#include <fmt/format.h>
#include <linux/capability.h>

#include <fstream>
#include <ios>
#include <string>

namespace betr::fuse {
namespace {

std::ifstream Open(pid_t thread, const char* file) { return std::ifstream(fmt::format("/proc/{}/{}", thread, file)); }

uint64_t EffectiveCapabilities(pid_t thread) {
  std::ifstream status = Open(thread, "status");
  std::string word;
  uint64_t capabilities = 0;
  while (status >> word) {
    if (word == "CapEff:") status >> std::hex >> capabilities;
  }
  return capabilities;
}

// Whether a map of ids has `id`. The lines are of the first id within, the first one as it is here, and the length.
bool HasId(std::ifstream map, uint32_t id) {
  uint64_t within = 0;
  uint64_t here = 0;
  uint64_t length = 0;
  while (map >> within >> here >> length) {
    if (here <= id && id - here < length) return true;
  }
  return false;
}

}  // namespace

bool ActsAsOwner(pid_t thread, uint32_t uid, uint32_t gid) {
  if (thread <= 0 || (EffectiveCapabilities(thread) >> CAP_FOWNER & 1) == 0) return false;
  return HasId(Open(thread, "uid_map"), uid) && HasId(Open(thread, "gid_map"), gid);
}

}  // namespace betr::fuse
