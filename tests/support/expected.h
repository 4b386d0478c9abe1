// SPDX-License-Identifier: Apache-2.0
// Whole outputs, as a file below tests/ keeps them: for each name a text. With BETR_UPDATE_EXPECTED=1 in the
// environment the file is written instead of compared; what has changed in it is for a reader to judge.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace betr::test {

class ExpectedTexts {
 public:
  // `file`: below tests/, such as "damage/expected/logs.txt".
  explicit ExpectedTexts(std::string file);

  // Fails the test if the text is another one, or if none of that name is kept. The text consists of whole lines, none
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
