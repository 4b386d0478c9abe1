// SPDX-License-Identifier: Apache-2.0
// What a check found, and what became of it. Printed as it comes, or as one JSON document at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fs/check/describe_loss.h"
#include "json_output.h"
#include "progress.h"
#include "tool.h"

namespace betr::tools {

struct FsckFinding {
  std::string_view level;  // "store", "file system"
  std::string_view kind;
  std::string what;
  bool is_harmless = false;  // a crash may leave it behind; needs no repair
};

// Keeps findings only if JSON is wanted, as there may be as many as nodes.
class FsckReport {
 public:
  // `is_dry_run`: repairs are not kept.
  FsckReport(Tool& tool, Progress& progress, bool is_dry_run)
      : tool_(tool), progress_(progress), is_dry_run_(is_dry_run) {}

  void Found(const FsckFinding& finding);
  // Something found before has been repaired.
  void Repaired(std::string_view what);
  // Prints at once what is about to be given up, as far as it is known, as text. If JSON is wanted, this goes to
  // stderr, since whoever stops the program gets no document. What becomes of it is told later, by Lost.
  void GivingUp(const fs::Loss& loss);
  void Flush();
  // Tells what could not be saved.
  void Lost(const fs::Loss& loss);
  // Tells something that the user should know and that is not a finding.
  void Note(std::string_view what);

  // The number found, without harmless ones, and the number repaired.
  uint64_t errors() const { return errors_; }
  uint64_t repairs() const { return repairs_; }

  // How the check ended.
  struct End {
    std::string_view summary;
    int exit_code;
    std::string_view error;  // the one that ended it, if any
    bool all_lost_listed;
  };
  // Prints the end: the summary as a line, or everything as JSON with the figures.
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
