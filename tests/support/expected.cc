// SPDX-License-Identifier: Apache-2.0
#include "support/expected.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace betr::test {
namespace {

constexpr std::string_view kNameMark = "=== ";

bool WantsUpdate() {
  const char* update = std::getenv("BETR_UPDATE_EXPECTED");  // NOLINT(concurrency-mt-unsafe): nobody changes it
  return update != nullptr && std::string_view(update) == "1";
}

std::map<std::string, std::string> Read(const std::string& path) {
  std::map<std::string, std::string> texts;
  std::ifstream file(path);
  std::string* text = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kNameMark)) {
      text = &texts[line.substr(kNameMark.size())];
    } else if (text != nullptr) {
      text->append(line).push_back('\n');
    }
  }
  return texts;
}

}  // namespace

ExpectedTexts::ExpectedTexts(std::string file)
    : path_(std::string(BETR_SOURCE_DIR) + "/tests/" + std::move(file)),
      is_update_(WantsUpdate()),
      kept_(Read(path_)) {}

void ExpectedTexts::Check(const std::string& name, const std::string& text) {
  INFO(path_ << ": " << name);
  REQUIRE(checked_.emplace(name, text).second);
  names_.push_back(name);
  if (!is_update_) CHECK(text == kept_[name]);
}

void ExpectedTexts::Finish() {
  if (is_update_) {
    std::ofstream file(path_);
    for (const std::string& name : names_) file << kNameMark << name << '\n' << checked_[name];
    REQUIRE(file.flush().good());
    return;
  }
  for (const auto& [name, text] : kept_) {
    INFO(path_ << ": " << name << " is kept, and nothing has that name");
    CHECK(checked_.contains(name));
  }
}

}  // namespace betr::test
