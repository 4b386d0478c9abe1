// SPDX-License-Identifier: Apache-2.0
// Compares whole outputs with a file below tests/ that has a text for each name. With BETR_UPDATE_EXPECTED=1 in the
// environment the file is written instead. A reader has to judge what changed in it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace betr::test {

class ExpectedTexts {
 public:
  // `file` is below tests/, such as "damage/expected/logs.txt".
  explicit ExpectedTexts(std::string file);

  // Fails the test if the text differs, or if none is kept under that name. The text must consist of whole lines, none
  // of which begins with "=== ".
  void Check(const std::string& name, const std::string& text);
  // Fails the test if texts are kept whose names were not checked. Writes the file if that is wanted.
  void Finish();

 private:
  const std::string path_;
  const bool is_update_;
  std::map<std::string, std::string> kept_;
  std::vector<std::string> names_;  // in the order in which they were checked
  std::map<std::string, std::string> checked_;
};

}  // namespace betr::test
