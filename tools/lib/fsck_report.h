// SPDX-License-Identifier: Apache-2.0
// What a check found and what became of it: printed as it comes, or as one JSON document at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fs/describe_loss.h"
#include "json_output.h"
#include "progress.h"
#include "tool.h"

namespace betr::tools {

struct FsckFinding {
  std::string_view level;  // "store", "file system"
  std::string_view kind;
  std::string what;
  bool is_harmless = false;  // what a crash may leave behind; needs no repair
};

// Keeps no findings unless JSON is wanted: there may be as many as nodes.
class FsckReport {
 public:
  // `is_dry_run`: nothing of what is repaired stays so.
  FsckReport(Tool& tool, Progress& progress, bool is_dry_run)
      : tool_(tool), progress_(progress), is_dry_run_(is_dry_run) {}

  void Found(const FsckFinding& finding);
  // Something that was found before has been mended.
  void Repaired(std::string_view what);
  // What is about to be given up, as far as it is known then: as text, and at once; to stderr if JSON is wanted, since
  // who stops the program gets no document. What becomes of it is told later, by Lost.
  void GivingUp(const fs::Loss& loss);
  void Flush();
  // What could not be saved.
  void Lost(const fs::Loss& loss);
  // Something that the user should know, and is no finding.
  void Note(std::string_view what);

  // Found, mended, and not harmless.
  uint64_t errors() const { return errors_; }
  uint64_t repairs() const { return repairs_; }

  // How it ended.
  struct End {
    std::string_view summary;
    int exit_code;
    std::string_view error;  // that ended it, if any
    bool all_lost_listed;
  };
  // The last word: the summary as a line, or all as JSON with the figures.
  void Finish(const std::string& image, const End& end, const Json& figures);

 private:
  Tool& tool_;
  Progress& progress_;
  const bool is_dry_run_;
  uint64_t errors_ = 0;
  uint64_t repairs_ = 0;
  Json findings_ = Json::array();
  Json repaired_ = Json::array();
  Json lost_ = Json::array();
  Json notes_ = Json::array();
};

}  // namespace betr::tools
