// SPDX-License-Identifier: Apache-2.0
#include "c/upsert_adapter.h"

#include <absl/strings/str_cat.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "c/answer.h"
#include "c/returned.h"

struct betr_result {
  std::optional<std::string> bytes;
};

namespace betr::c {
namespace {

class UpsertAdapter final : public UpsertFunction {
 public:
  explicit UpsertAdapter(const betr_upsert_function& described)
      : described_(described), name_(StringOf(described.name)) {}
  ~UpsertAdapter() override {
    if (described_.release != nullptr) described_.release(described_.user);
  }
  UpsertAdapter(const UpsertAdapter&) = delete;
  UpsertAdapter& operator=(const UpsertAdapter&) = delete;

  uint16_t Number() const override { return described_.number; }
  std::string_view Name() const override { return name_; }

  std::optional<std::string> Apply(std::optional<std::string_view> old, std::string_view delta) const override {
    size_t old_size = 0;
    const void* const old_data = old.has_value() ? Show(*old, &old_size) : ShowNothing(&old_size);
    return Call(described_.apply, old_data, old_size, delta);
  }

  std::optional<std::string> Compose(std::string_view older, std::string_view newer) const override {
    if (described_.compose == nullptr) return std::nullopt;
    size_t older_size = 0;
    const void* const older_data = Show(older, &older_size);
    return Call(described_.compose, older_data, older_size, newer);
  }

 private:
  using Callback = decltype(betr_upsert_function::apply);

  std::optional<std::string> Call(Callback callback, const void* first, size_t first_size,
                                  std::string_view second) const noexcept {
    betr_result result;
    size_t second_size = 0;
    const void* const second_data = Show(second, &second_size);
    callback(described_.user, first, first_size, second_data, second_size, &result);
    return std::move(result.bytes);
  }

  const betr_upsert_function described_;
  const std::string name_;
};

absl::Status CheckCallbacks(const betr_upsert_function& function) {
  if (function.name != nullptr && function.apply != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("upsert function ", function.number, ": its ",
                                                 function.name == nullptr ? "name" : "apply", " is null"));
}

}  // namespace

extern "C" betr_code betr_result_set(betr_result* result, const void* data, size_t size) {
  return Answer({FaultOf(result, "result"), FaultOf(data, size, "data")},
                [&] { result->bytes.emplace(BytesOf(data, size)); });
}

absl::Status AddFunctions(std::span<const betr_upsert_function> functions, UpsertRegistry& registry) {
  absl::Status status;
  for (const betr_upsert_function& function : functions) {
    const auto adapter = std::make_shared<const UpsertAdapter>(function);  // for each one, so that each is released
    if (status.ok()) status = CheckCallbacks(function);
    if (status.ok()) status = registry.Add(adapter);
  }
  return status;
}

}  // namespace betr::c
