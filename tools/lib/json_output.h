// SPDX-License-Identifier: Apache-2.0
// JSON as all tools print it: one document, which says what kind it is.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

namespace betr::tools {

using Json = nlohmann::ordered_json;

// Incremented when a field changes its meaning or goes away. New fields may appear at any time.
inline constexpr int kJsonVersion = 1;

// Returns {"schema": "betr.<kind>", "version": kJsonVersion}, to be filled further. kind: "list", "super", "fsck", ...
Json NewDocument(std::string_view kind);

// Returns the bytes of a name or a key: as a string if they are UTF-8, else as {"escaped": "..."} in the form of
// base/escape.h.
Json JsonText(std::string_view bytes);

// Prints the document indented, with a newline at the end.
void PrintJson(std::ostream& out, const Json& json);

// Prints a JSON document whose last member is an array of any length, item by item.
class JsonArrayPrinter {
 public:
  // `head` has all members except the array.
  JsonArrayPrinter(std::ostream& out, const Json& head, std::string_view array);
  void Add(const Json& item);
  void Finish();

 private:
  std::ostream& out_;
  bool is_empty_ = true;
};

}  // namespace betr::tools
