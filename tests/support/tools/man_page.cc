// SPDX-License-Identifier: Apache-2.0
#include "support/tools/man_page.h"

#include <regex>
#include <sstream>

#include "support/docs.h"

namespace betr::tools {
namespace {

void AddOptionsOf(const std::string& line, std::set<std::string>* options) {
  static const std::regex kOption("(^|[\\s,\"])(--?[A-Za-z][A-Za-z-]*)");
  for (auto match = std::sregex_iterator(line.begin(), line.end(), kOption); match != std::sregex_iterator(); ++match) {
    options->insert((*match)[2].str());
  }
}

}  // namespace

std::set<std::string> OptionsOfParser(const CLI::App& app) {
  std::set<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) names.insert("-" + name);
    for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  }
  return names;
}

std::set<std::string> OptionsOfHelp(const std::string& help) {
  std::set<std::string> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    // The head of an option, up to its explanation.
    if (line.starts_with("  -")) AddOptionsOf(line.substr(0, line.find("  ", 2)), &options);
  }
  return options;
}

std::set<std::string> OptionsOfPage(const std::string& roff) {
  std::set<std::string> options;
  std::istringstream lines(std::regex_replace(roff, std::regex("\\\\-"), "-"));
  bool is_head = false;
  for (std::string line; std::getline(lines, line);) {
    if (is_head) AddOptionsOf(line, &options);
    is_head = line == ".TP";
  }
  return options;
}

std::string ReadManPage(const std::string& name) { return test::ReadDocument("man/" + name); }

}  // namespace betr::tools
