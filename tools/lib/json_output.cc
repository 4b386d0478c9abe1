// SPDX-License-Identifier: Apache-2.0
#include "json_output.h"

#include <string>

#include "base/escape.h"

namespace betr::tools {

Json NewDocument(std::string_view kind) {
  Json document = Json::object();
  document["schema"] = "betr." + std::string(kind);
  document["version"] = kJsonVersion;
  return document;
}

Json JsonText(std::string_view bytes) {
  if (IsUtf8(bytes)) return Json(bytes);
  Json text = Json::object();
  text["escaped"] = Escape(bytes);
  return text;
}

void PrintJson(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

JsonArrayPrinter::JsonArrayPrinter(std::ostream& out, const Json& head, std::string_view array) : out_(out) {
  std::string text = head.dump(2, ' ', false, Json::error_handler_t::replace);
  text.erase(text.find_last_of('}'));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  out_ << text << (head.empty() ? "" : ",") << "\n  \"" << array << "\": [";
}

void JsonArrayPrinter::Add(const Json& item) {
  out_ << (is_empty_ ? "\n    " : ",\n    ") << item.dump(-1, ' ', false, Json::error_handler_t::replace);
  is_empty_ = false;
}

void JsonArrayPrinter::Finish() { out_ << (is_empty_ ? "]\n}\n" : "\n  ]\n}\n"); }

}  // namespace betr::tools
