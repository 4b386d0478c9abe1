// SPDX-License-Identifier: Apache-2.0
#include "dump_text.h"

#include <fmt/format.h>

#include "base/escape.h"

namespace betr::tools {

std::string KeyText(std::string_view key, size_t max) {
  if (key.size() <= max) return fmt::format("\"{}\"", Escape(key));
  return fmt::format("\"{}\"... ({} bytes)", Escape(key.substr(0, max)), key.size());
}

std::string TranslationText(const dag::Link& link) {
  const std::string_view strip = link.range.Lcp();
  if (link.Null() || strip == link.translation) return "";
  return fmt::format("{} => {}", KeyText(strip), KeyText(link.translation));
}

std::string LinkText(const dag::Link& link) {
  if (link.Null()) return "nothing";
  const std::string translation = TranslationText(link);
  return fmt::format("node {}{}{}", link.target.value, translation.empty() ? "" : ", ", translation);
}

std::string_view MessageName(dag::MessageKind kind) {
  switch (kind) {
    case dag::MessageKind::kPut:
      return "put";
    case dag::MessageKind::kErase:
      return "erase";
    case dag::MessageKind::kUpsert:
      return "upsert";
  }
  return "unknown";
}

std::string MessageText(const dag::Message& message) {
  switch (message.kind) {
    case dag::MessageKind::kPut:
      return fmt::format("put {} bytes", message.value.size());
    case dag::MessageKind::kUpsert:
      return fmt::format("upsert {} with {} bytes", message.function, message.value.size());
    default:
      return std::string(MessageName(message.kind));
  }
}

Json BoundJson(const Bound& bound) {
  Json json = Json::object();
  json[bound.past ? "past" : "at"] = JsonText(bound.bytes);
  return json;
}

Json RangeJson(const Range& range) {
  Json json = Json::object();
  json["lo"] = BoundJson(range.lo);
  json["hi"] = BoundJson(range.hi);
  return json;
}

Json LinkJson(const dag::Link& link) {
  Json json = Json::object();
  json["range"] = RangeJson(link.range);
  if (link.Null()) {
    json["target"] = nullptr;
    return json;
  }
  json["target"] = link.target.value;
  json["strip"] = JsonText(link.range.Lcp());
  json["prepend"] = JsonText(link.translation);
  return json;
}

Json ExtentJson(const layout::ExtentAddress& extent) {
  Json json = Json::object();
  json["unit"] = extent.start;
  json["units"] = extent.units;
  json["scattered"] = extent.scattered;
  if (!extent.scattered) {
    json["offset"] = extent.Offset().value;
    json["size"] = extent.Size().value;
  }
  return json;
}

}  // namespace betr::tools
