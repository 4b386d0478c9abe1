// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <string_view>

#include "mount.h"
#include "unmount.h"

namespace {

bool IsUnmount(std::string_view program) { return program.substr(program.rfind('/') + 1).starts_with("umount."); }

}  // namespace

int main(int argc, char** argv) {
  // A caller that ignores SIGCHLD passes that on. Then this program could not find out how its children ended.
  std::signal(SIGCHLD, SIG_DFL);
  betr::tools::ToolIo io = betr::tools::ProcessIo();
  const betr::tools::Arguments arguments(argv, static_cast<size_t>(argc));
  return IsUnmount(argv[0]) ? betr::fuse::UnmountMain(arguments, io) : betr::fuse::MountMain(arguments, io);
}
