// SPDX-License-Identifier: Apache-2.0
// Makes system calls fail, while it lives, that not every host or file system has. They fail for the whole program, as
// they do there. A program that needs this header has an open, linkat, link and renameat2 of its own in place of the C
// library's.
#pragma once

namespace betr {

class LackingHost {
 public:
  struct Lacks {
    bool unnamed_files = false;     // O_TMPFILE
    bool proc = false;              // /proc/self/fd, to link what is open
    bool links_of_open = false;     // the other way to link it, AT_EMPTY_PATH
    bool exclusive_rename = false;  // RENAME_NOREPLACE
    bool links = false;
  };

  explicit LackingHost(const Lacks& lacks);
  ~LackingHost();
  LackingHost(const LackingHost&) = delete;
  LackingHost& operator=(const LackingHost&) = delete;
};

}  // namespace betr
